import hudson.Plugin;
import hudson.model.AbstractProject;
import hudson.model.Computer;
import hudson.model.Hudson;
import hudson.model.Label;
import hudson.model.Queue;
import hudson.slaves.OfflineCause;
import java.io.IOException;
import java.util.Set;
import java.util.TreeSet;
import javax.servlet.http.HttpServletResponse;
import net.sf.json.JSONArray;
import net.sf.json.JSONObject;
import org.kohsuke.stapler.StaplerRequest;
import org.kohsuke.stapler.StaplerResponse;

/**
 * What Jenkins has learned since Hudson, for the proxy of the tests: to set a node offline instead of toggling it, to
 * cancel an item by its id, and to tell labels and the reason of an offline node. Its URL is /plugin/jenkins-calls/.
 */
public final class JenkinsCalls extends Plugin {
  /** Sets, as hudson.model.Computer#doChangeOfflineCause of Jenkins does. */
  public void doChangeOfflineCause(StaplerRequest request, StaplerResponse response) throws IOException {
    Computer computer = Hudson.getInstance().getComputer(request.getParameter("name"));
    if (computer == null) {
      response.sendError(HttpServletResponse.SC_NOT_FOUND);
      return;
    }
    computer.setTemporarilyOffline(true, new OfflineCause.ByCLI(request.getParameter("offlineMessage")));
    response.setStatus(HttpServletResponse.SC_NO_CONTENT);
  }

  /** As hudson.model.Queue#doCancelItem of Jenkins. */
  public void doCancelItem(StaplerRequest request, StaplerResponse response) throws IOException {
    Queue queue = Hudson.getInstance().getQueue();
    Queue.Item item = queue.getItem(Integer.parseInt(request.getParameter("id")));
    boolean isCancelled = item != null && queue.cancel(item);
    response.setStatus(isCancelled ? HttpServletResponse.SC_NO_CONTENT : HttpServletResponse.SC_NOT_FOUND);
  }

  /** The label expression of each item, and the labels and the offline reason of each node. */
  public void doDetails(StaplerRequest request, StaplerResponse response) throws IOException {
    JSONObject labels = new JSONObject();
    for (Queue.Item item : Hudson.getInstance().getQueue().getItems()) {
      if (item.task instanceof AbstractProject) {
        labels.put(String.valueOf(item.id), ((AbstractProject<?, ?>) item.task).getAssignedLabelString());
      }
    }
    JSONObject nodes = new JSONObject();
    for (Computer computer : Hudson.getInstance().getComputers()) {
      nodes.put(computer.getDisplayName(), detailsOf(computer));
    }
    response.setContentType("application/json;charset=UTF-8");
    response.getWriter().print(new JSONObject().accumulate("labels", labels).accumulate("nodes", nodes));
  }

  private static JSONObject detailsOf(Computer computer) {
    Set<String> names = new TreeSet<String>();
    if (computer.getNode() != null) {
      for (Label label : computer.getNode().getAssignedLabels()) names.add(label.getName());
    }
    OfflineCause cause = computer.getOfflineCause();
    String reason = cause == null ? "" : cause.toString();
    if (cause instanceof OfflineCause.ByCLI) reason = ((OfflineCause.ByCLI) cause).message;
    return new JSONObject().accumulate("labels", JSONArray.fromObject(names)).accumulate("reason", reason);
  }
}
