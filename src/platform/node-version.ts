/** The first releases with all known security fixes, by major version: of older ones each has known vulnerabilities. */
const fixedNodeVersions = ['22.23.4', '24.22.1'] as const;

/** A release of Node that lacks security fixes, and what to do. */
export interface NodeFault {
  readonly reason: string;
  readonly remedy: string;
}

/** Undefined if this release of Node is not known to lack security fixes. */
export function nodeFault(running: string = process.versions.node): NodeFault | undefined {
  const [major = 0, minor = 0, patch = 0] = running.split('.').map(Number);
  const newest = Number.parseInt(fixedNodeVersions.at(-1)!, 10);
  if (major > newest) return undefined;
  const fixed = fixedNodeVersions.find((one) => Number.parseInt(one, 10) === major);
  const [, fixedMinor = 0, fixedPatch = 0] = fixed?.split('.').map(Number) ?? [];
  if (fixed !== undefined && (minor > fixedMinor || (minor === fixedMinor && patch >= fixedPatch))) return undefined;
  const versions = fixedNodeVersions.map((one) => `${one} or a newer ${one.split('.')[0]}`).join(', or ');
  return { reason: `Node ${running} lacks security fixes.`, remedy: `Use ${versions}.` };
}

/** The advice as one line. */
export function nodeAdvice(running?: string): string | undefined {
  const fault = nodeFault(running);
  return fault && `${fault.reason} ${fault.remedy}`;
}
