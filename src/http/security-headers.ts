import helmet from 'helmet';
import type { RequestListener } from 'node:http';

type Harden = (
  request: Parameters<RequestListener>[0],
  response: Parameters<RequestListener>[1],
  next: () => void,
) => void;

const yearSeconds = 365 * 24 * 3600;

/** Sends Strict-Transport-Security. */
export function strictTransport(): Harden {
  return helmet.strictTransportSecurity({ maxAge: yearSeconds, includeSubDomains: false });
}

export interface PageSecurity {
  /** CSP source of the page's inline style sheet: `'sha256-…'`. */
  readonly style?: string;
  /** Origins to which the response of a form may redirect. Default: only the service. */
  readonly formTargets?: readonly string[];
}

/**
 * Headers of a page without script, subresources or framing. Its forms post to the service only. The referrer policy is not `no-referrer`,
 * since browsers then send the Origin "null" with forms.
 */
export function pageSecurity({ style, formTargets = [] }: PageSecurity = {}): Harden {
  const none = ["'none'"];
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        'default-src': none,
        'style-src': style === undefined ? none : [style],
        'form-action': ["'self'", ...formTargets],
        'base-uri': none,
        'frame-ancestors': none,
      },
    },
    referrerPolicy: { policy: 'same-origin' },
    xFrameOptions: { action: 'deny' },
    // Sent separately, on every response of a service with an https URL.
    strictTransportSecurity: false,
  });
}

/**
 * Headers of the web page. Scripts load from the service only, never inline. Inline styles are allowed because the editors create them at
 * run time. A worker, also from the service, lays out the canvas. Artifacts are shown in frames with their own sandbox.
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
    // Sent separately, on every response of a service with an https URL.
    strictTransportSecurity: false,
  });
}
