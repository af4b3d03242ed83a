import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import type { Connection } from '../../../cli/api/connection.ts';
import type { ConsoleSettings } from '../../../cli/console/console-settings.ts';
import { createForwarder } from '../../../cli/console/forward.ts';
import { type PageFiles, readPageFiles } from '../../../cli/console/page-files.ts';
import { serveConsole } from '../../../cli/console/serve-console.ts';
import { chromiumPath } from './chromium.ts';

/** A browser for consoles. */
export interface ConsoleBrowser extends AsyncDisposable {
  /** Opens a console, at a view, in a new window. */
  open(davit: () => Promise<Connection>, options?: OpenOptions): Promise<OpenConsole>;
  /** Opens an empty page, to lay out pictures. */
  blank(viewport: { width: number; height: number }): Promise<{ page: Page } & AsyncDisposable>;
}

/** The differences from a wide, light window at the first view. */
export interface OpenOptions extends Pick<BrowserContextOptions, 'viewport' | 'colorScheme' | 'bypassCSP'> {
  /** The address's part after `#`. */
  view?: string;
  settings?: Partial<ConsoleSettings>;
}

/** A console in a browser. */
export interface OpenConsole extends AsyncDisposable {
  page: Page;
  /** The console's address. */
  url: string;
  /** The browser's complaints: the page script's errors, and blocks by the page's content security policy. */
  complaints: string[];
}

const patienceMs = 90_000;

/** Starts Chromium without its own sandbox, which does not work for root. */
export async function startBrowser(): Promise<ConsoleBrowser> {
  const browser = await chromium.launch({ executablePath: chromiumPath, args: ['--no-sandbox'] });
  const files = await readPageFiles();
  return {
    open: (davit, options = {}) => openConsole(browser, files, davit, options),
    blank: async (viewport) => {
      const page = await browser.newPage({ viewport });
      return { page, [Symbol.asyncDispose]: () => page.close() };
    },
    [Symbol.asyncDispose]: () => browser.close(),
  };
}

async function openConsole(
  browser: Browser,
  files: PageFiles,
  davit: () => Promise<Connection>,
  { view = '/launches', settings = {}, ...context }: OpenOptions,
): Promise<OpenConsole> {
  await using opened = new AsyncDisposableStack();
  const shown = { davit: 'local, .davit', version: '0.1.0', pricePerHour: {}, ...settings };
  const console = opened.use(await serveConsole({ files, davit: createForwarder(davit), settings: shown }));
  const page = await browser.newPage({ viewport: { width: 1100, height: 720 }, ...context });
  opened.defer(() => page.close());
  page.setDefaultTimeout(patienceMs);
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    // The browser itself reports answers such as 503, which tests provoke.
    const isAnswer = message.text().startsWith('Failed to load resource');
    if (message.type() === 'error' && !isAnswer) complaints.push(message.text());
  });
  await page.goto(console.link);
  await page.goto(`${console.url}/#${view}`);
  const running = opened.move();
  return { page, url: console.url, complaints, [Symbol.asyncDispose]: () => running.disposeAsync() };
}
