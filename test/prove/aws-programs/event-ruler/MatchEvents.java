import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import software.amazon.event.ruler.JsonRuleCompiler;
import software.amazon.event.ruler.Machine;

/**
 * Matches events with patterns as EventBridge does. Reads lines of {"pattern": {...}, "event": {...}}, and answers each
 * with a line: {"matches": true}, {"matches": false} or {"problem": "what is wrong with the pattern"}.
 */
public class MatchEvents {
  private static final ObjectMapper mapper = new ObjectMapper();

  public static void main(String[] arguments) throws Exception {
    BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      JsonNode question = mapper.readTree(line);
      System.out.println(answer(question.get("pattern").toString(), question.get("event").toString()));
    }
  }

  private static JsonNode answer(String pattern, String event) throws Exception {
    String problem = JsonRuleCompiler.check(pattern);
    if (problem != null) return mapper.createObjectNode().put("problem", problem);
    Machine machine = Machine.builder().build();
    machine.addRule("rule", pattern);
    return mapper.createObjectNode().put("matches", !machine.rulesForJSONEvent(event).isEmpty());
  }
}
