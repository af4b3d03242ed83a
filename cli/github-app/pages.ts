import type { AppManifest } from './manifest.ts';

/** The page that sends the manifest to GitHub, by a button. */
export function formPage(action: string, manifest: AppManifest): string {
  const permissions = Object.entries(manifest.default_permissions).map(
    ([name, access]) => `<li>${escape(name.replaceAll('_', ' '))}: ${access}</li>`,
  );
  return page(`
<p>GitHub will ask for your consent, and for the App's name. It sends events of workflow jobs to
<code>${escape(manifest.hook_attributes.url)}</code>. The App's permissions:</p>
<ul>${permissions.join('')}</ul>
<form action="${escape(action)}" method="post">
<input type="hidden" name="manifest" value="${escape(JSON.stringify(manifest))}">
<button type="submit">Continue to ${escape(new URL(action).host)}</button>
</form>`);
}

/** The page after the App was made. */
export function donePage(installUrl: string): string {
  return page(`
<p>The App is made, and its secrets are saved. <a href="${escape(installUrl)}">Install it</a>, then go on in the terminal.</p>`);
}

/** The page after a refusal. @param formPath where to begin again */
export function refusedPage(reason: string, formPath?: string): string {
  return page(`
<p>${escape(reason)}</p>${formPath === undefined ? '' : `<p><a href="${escape(formPath)}">Begin again</a></p>`}`);
}

function page(body: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>davit's GitHub App</title>
<style>body { font: 1rem/1.5 sans-serif; max-width: 40rem; margin: 3rem auto; padding: 0 1rem }</style></head>
<body><h1>davit's GitHub App</h1>${body}
</body></html>
`;
}

function escape(text: string): string {
  const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? character);
}
