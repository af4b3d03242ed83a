/** The path of Debian's Chromium, or the environment's. */
export const chromiumPath = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
