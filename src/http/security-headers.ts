import helmet from 'helmet';
import type { RequestListener } from 'node:http';

type Harden = (
  request: Parameters<RequestListener>[0],
  response: Parameters<RequestListener>[1],
  next: () => void,
) => void;

const yearSeconds = 365 * 24 * 3600;

/** Tells browsers to come by https alone from now on. */
export function strictTransport(): Harden {
  return helmet.strictTransportSecurity({ maxAge: yearSeconds, includeSubDomains: false });
}

export interface PageSecurity {
  /** The one style sheet that stands in the page, by its CSP source: `'sha256-…'`. */
  readonly style?: string;
}

/**
 * Headers of a page without script that nothing is loaded into and no other page may frame. Its forms go to the service alone, with
 * an Origin that says where they come from: under `no-referrer` a browser would send "null" there.
 */
export function pageSecurity({ style }: PageSecurity = {}): Harden {
  const none = ["'none'"];
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        'default-src': none,
        'style-src': style === undefined ? none : [style],
        'form-action': ["'self'"],
        'base-uri': none,
        'frame-ancestors': none,
      },
    },
    referrerPolicy: { policy: 'same-origin' },
    xFrameOptions: { action: 'deny' },
    // Sent where the service is reached by https, on every answer.
    strictTransportSecurity: false,
  });
}

/**
 * Headers of the page itself. Scripts come from the service alone, none stands in the document. Styles may be set by scripts: the
 * editors make theirs while they run. The canvas is laid out by a worker, a script of the service like the others. Artifacts are shown
 * in frames, which bring a sandbox of their own.
 */
export function appSecurity(): Harden {
  const self = ["'self'"];
  const none = ["'none'"];
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        'default-src': none,
        'script-src': self,
        'style-src': [...self, "'unsafe-inline'"],
        'img-src': [...self, 'data:', 'blob:'],
        'font-src': self,
        'connect-src': self,
        'frame-src': self,
        'manifest-src': self,
        'worker-src': self,
        'form-action': self,
        'base-uri': none,
        'object-src': none,
        'frame-ancestors': none,
      },
    },
    referrerPolicy: { policy: 'same-origin' },
    xFrameOptions: { action: 'deny' },
    // Sent where the service is reached by https, on every answer.
    strictTransportSecurity: false,
  });
}
