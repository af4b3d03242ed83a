/** A freestyle job. */
export interface HudsonJob {
  name: string;
  /** A label expression. */
  label: string;
  /** Run by a shell on the node. */
  script: string;
}

/** Where the server's agents connect. */
export const agentPort = 50_000;

/** The files of a new home: the controller runs no build, as Jenkins advises, and its agent port is known. */
export const configuration: Readonly<Record<string, string>> = {
  'config.xml': `<?xml version='1.0' encoding='UTF-8'?>
<hudson><version>3.3.2</version><numExecutors>0</numExecutors><mode>EXCLUSIVE</mode><quietPeriod>0</quietPeriod></hudson>`,
  'hudson-security.xml': `<?xml version='1.0' encoding='UTF-8'?>
<hudsonSecurityManager><useSecurity>false</useSecurity><slaveAgentPort>${agentPort}</slaveAgentPort></hudsonSecurityManager>`,
};

/** The configuration of a job. */
export function projectXml({ label, script }: HudsonJob): string {
  return `<?xml version='1.0' encoding='UTF-8'?>
<project><scm class="hudson.scm.NullSCM"/><assignedNode>${inXml(label)}</assignedNode><canRoam>false</canRoam>
<builders><hudson.tasks.Shell><command>${inXml(script)}</command></hudson.tasks.Shell></builders></project>`;
}

function inXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
