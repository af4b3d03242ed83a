/** The request that a browser sends when a person opens a page and presses its one button. */
export interface PageForm {
  action: string;
  manifest: string;
}

/** Opens a page and reads its form. */
export async function openForm(url: string): Promise<PageForm> {
  const html = await (await fetch(url)).text();
  const attribute = (pattern: RegExp) => unescape(pattern.exec(html)?.[1] ?? '');
  return {
    action: attribute(/<form action="([^"]*)" method="post">/),
    manifest: attribute(/name="manifest" value="([^"]*)"/),
  };
}

/** Sends a form as a browser does. @returns the URL to which the answer redirects */
export async function submitForm({ action, manifest }: PageForm): Promise<string> {
  const response = await fetch(action, {
    method: 'POST',
    body: new URLSearchParams({ manifest }),
    redirect: 'manual',
  });
  return response.headers.get('location') ?? '';
}

function unescape(text: string): string {
  return text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}
