import { CodeUnreachable } from './code.ts';

/**
 * Imports a piece of code once all its files are there. A browser does not request a module again that it could not
 * fetch (the standard says so; Chromium does since 150), so that a failed import cannot be retried: a failed fetch can.
 * The build calls this instead of Vite's own loader. `files`: the files of the piece and of its imports, relative to
 * the page's root; empty if it imports nothing.
 */
export async function importCode<T>(load: () => Promise<T>, files: readonly string[] = []): Promise<T> {
  const addresses = files.length > 0 ? files.map((file) => `/${file}`) : ownAddress(load);
  await Promise.all(addresses.map(fetchFile));
  await Promise.all(addresses.filter((address) => address.endsWith('.css')).map(addStyle));
  return load();
}

/** The file that is imported, by the source of the function that imports it. */
function ownAddress(load: () => Promise<unknown>): readonly string[] {
  const [, specifier] = /import\(\s*["'`]([^"'`]+)["'`]\s*\)/.exec(load.toString()) ?? [];
  return specifier === undefined ? [] : [new URL(specifier, import.meta.url).pathname];
}

/** Calls `load` once for each address, however many wait for it, and again only if it failed. */
function once(load: (address: string) => Promise<void>): (address: string) => Promise<void> {
  const calls = new Map<string, Promise<void>>();
  return (address) => {
    let call = calls.get(address);
    if (call === undefined) {
      call = load(address).catch((error: unknown) => {
        calls.delete(address);
        throw error;
      });
      calls.set(address, call);
    }
    return call;
  };
}

/** Puts a file into the browser's cache: its name contains a hash of its content. */
const fetchFile = once(async (address) => {
  try {
    const response = await fetch(address, { credentials: 'same-origin' });
    if (!response.ok) throw new Error(`status ${response.status}`);
    await response.arrayBuffer();
  } catch (error) {
    throw new CodeUnreachable(`${address} could not be fetched: ${(error as Error).message}`);
  }
});

/**
 * A style sheet that the page has is not added again: after later ones it would override them. A sheet that fails is
 * removed, so that the next try adds it again.
 */
const addStyle = once(
  (address) =>
    new Promise((resolve, reject) => {
      if (document.querySelector(`link[rel="stylesheet"][href="${address}"]`) !== null) return resolve();
      const link = document.createElement('link');
      link.rel = 'stylesheet';
      link.href = address;
      link.addEventListener('load', () => resolve());
      link.addEventListener('error', () => {
        link.remove();
        reject(new CodeUnreachable(`${address} could not be loaded.`));
      });
      document.head.append(link);
    }),
);
