/** Starts Hudson on a newer Java than it knows: its check of the version misreads "17.0.1". */
public final class HudsonLauncher {
  public static void main(String[] arguments) throws Exception {
    System.setProperty("java.version", "1.8.0_99");
    System.setProperty("java.specification.version", "1.8");
    Class<?> executable = Class.forName("org.eclipse.hudson.war.Executable");
    executable.getMethod("main", String[].class).invoke(null, (Object) arguments);
  }
}
