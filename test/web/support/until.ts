const everyMs = 50;

/** Waits until it is so: what the page shows at once may not be acknowledged yet. The test's own limit ends it. */
export async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, everyMs));
}
