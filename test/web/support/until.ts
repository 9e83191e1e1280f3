const everyMs = 50;

/** Waits for a condition: what the page shows at once may not be acknowledged yet. The test's own timeout ends it. */
export async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, everyMs));
}
