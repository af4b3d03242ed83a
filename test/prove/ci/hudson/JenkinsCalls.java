import hudson.Plugin;
import hudson.model.AbstractProject;
import hudson.model.Computer;
import hudson.model.Executor;
import hudson.model.Hudson;
import hudson.model.Label;
import hudson.model.Queue;
import hudson.slaves.OfflineCause;
import java.io.IOException;
import java.lang.reflect.Field;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.servlet.http.HttpServletResponse;
import net.sf.json.JSONArray;
import net.sf.json.JSONObject;
import org.kohsuke.stapler.StaplerRequest;
import org.kohsuke.stapler.StaplerResponse;

/**
 * What Jenkins has learned since Hudson, for the proxy of the tests: to set a node offline instead of toggling it, to
 * cancel an item by its id, to remember an item that has left the queue, and to tell labels, the reason of an offline node,
 * and whether it is idle. Its URL is /plugin/jenkins-calls/.
 */
public final class JenkinsCalls extends Plugin {
  /** What `build` has queued since the start, in order. */
  private final List<Queue.Item> queued = new CopyOnWriteArrayList<Queue.Item>();

  /** Queues a job, without a quiet period. Answers with the id of its item. */
  public void doBuild(StaplerRequest request, StaplerResponse response) throws IOException {
    AbstractProject<?, ?> job =
        Hudson.getInstance().getItemByFullName(request.getParameter("job"), AbstractProject.class);
    Queue.Item item = Hudson.getInstance().getQueue().schedule(job, 0);
    queued.add(item);
    response.getWriter().print(item.id);
  }

  /**
   * As the hudson.model.Queue.LeftItem of Jenkins. A job has one build at a time, in the order in which it was queued: so
   * the count of its items that were not cancelled is the number of the build that an item became.
   */
  public void doLeftItem(StaplerRequest request, StaplerResponse response) throws IOException {
    int id = Integer.parseInt(request.getParameter("id"));
    JSONObject left = null;
    for (Queue.Item item : queued) {
      if (item.id == id) left = describe(item);
    }
    if (left == null) {
      response.sendError(HttpServletResponse.SC_NOT_FOUND);
      return;
    }
    response.setContentType("application/json;charset=UTF-8");
    response.getWriter().print(left);
  }

  private JSONObject describe(Queue.Item item) {
    int number = 0;
    for (Queue.Item earlier : queued) {
      if (earlier.task == item.task && !earlier.getFuture().isCancelled()) number++;
      if (earlier == item) break;
    }
    JSONObject left = new JSONObject();
    boolean isCancelled = item.getFuture().isCancelled();
    left.put("id", item.id);
    left.put("inQueueSince", item.getInQueueSince());
    left.put("cancelled", isCancelled);
    if (!isCancelled) {
      JSONObject build = new JSONObject();
      build.put("number", number);
      build.put("url", Hudson.getInstance().getRootUrl() + item.task.getUrl() + number + "/");
      left.put("executable", build);
    }
    return left;
  }

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

  /** The label expression of each item, and of each node the labels, the offline reason and whether it is idle. */
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

  /**
   * As hudson.model.Executor#isIdle of Jenkins: an executor that the queue has given a build is busy. Hudson calls it idle
   * until the build begins.
   */
  private static boolean isIdle(Computer computer) throws IOException {
    Queue queue = Hudson.getInstance().getQueue();
    synchronized (queue) {
      for (Executor executor : computer.getExecutors()) {
        if (!executor.isIdle() || executor.getCurrentWorkUnit() != null || isOffered(queue, executor)) return false;
      }
      return true;
    }
  }

  private static boolean isOffered(Queue queue, Executor executor) throws IOException {
    try {
      Field parked = Queue.class.getDeclaredField("parked");
      parked.setAccessible(true);
      Object offer = ((Map<?, ?>) parked.get(queue)).get(executor);
      if (offer == null) return false;
      Field workUnit = offer.getClass().getDeclaredField("workUnit");
      workUnit.setAccessible(true);
      return workUnit.get(offer) != null;
    } catch (ReflectiveOperationException e) {
      throw new IOException(e);
    }
  }

  private static JSONObject detailsOf(Computer computer) throws IOException {
    Set<String> names = new TreeSet<String>();
    if (computer.getNode() != null) {
      for (Label label : computer.getNode().getAssignedLabels()) names.add(label.getName());
    }
    OfflineCause cause = computer.getOfflineCause();
    String reason = cause == null ? "" : cause.toString();
    if (cause instanceof OfflineCause.ByCLI) reason = ((OfflineCause.ByCLI) cause).message;
    JSONObject details = new JSONObject().accumulate("labels", JSONArray.fromObject(names));
    return details.accumulate("reason", reason).accumulate("idle", isIdle(computer));
  }
}
