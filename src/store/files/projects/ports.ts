import { openPort } from '../checkpoint/open-port.ts';
import { openWatch } from '../edits/open-watch.ts';

/** Opens what writes the files of a root and what watches them. A test may replace both. */
export interface Ports {
  readonly openPort: typeof openPort;
  readonly openWatch: typeof openWatch;
}

export const defaultPorts: Ports = { openPort, openWatch };
