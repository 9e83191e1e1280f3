import type { ClientAuth, Configuration } from 'openid-client';
import { PlannerError } from '../errors.ts';
import type { Claims } from '../operations/access/sign-in-desk.ts';

export interface OpenIdOptions {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string | undefined;
  /** Where the identity provider sends the browser back to. */
  readonly redirectUri: string;
}

/** What must come back as it was sent, or else it is another's sign-in. */
export interface Expected {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

type Library = typeof import('openid-client');

/** The library, and what the provider said of itself. */
interface Opened {
  readonly library: Library;
  readonly configuration: Configuration;
}

const timeoutSeconds = 10;
const scope = 'openid email profile';

/** Sign-in at an identity provider by OpenID Connect: the authorization code flow with PKCE. */
export class OpenId {
  readonly #options: OpenIdOptions;
  #opened: Promise<Opened> | undefined;

  constructor(options: OpenIdOptions) {
    this.#options = options;
  }

  /** Where to send the browser, and what to expect it back with. Throws `unavailable` where the provider does not answer. */
  async begin(): Promise<{ readonly url: URL; readonly expected: Expected }> {
    const { library, configuration } = await this.#open();
    const expected = {
      state: library.randomState(),
      nonce: library.randomNonce(),
      verifier: library.randomPKCECodeVerifier(),
    };
    const url = library.buildAuthorizationUrl(configuration, {
      redirect_uri: this.#options.redirectUri,
      scope,
      state: expected.state,
      nonce: expected.nonce,
      code_challenge: await library.calculatePKCECodeChallenge(expected.verifier),
      code_challenge_method: 'S256',
    });
    return { url, expected };
  }

  /** Who came back to the redirect URI with this query. Throws whatever the library finds wrong. */
  async finish(query: string, { state, nonce, verifier }: Expected): Promise<Claims> {
    const { library, configuration } = await this.#open();
    const tokens = await library.authorizationCodeGrant(
      configuration,
      new URL(`${this.#options.redirectUri}?${query}`),
      { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true },
    );
    const claims = tokens.claims()!;
    // Some providers put the address into the ID token, others tell it when they are asked.
    const profile =
      claims['email'] === undefined && configuration.serverMetadata().userinfo_endpoint !== undefined
        ? await library.fetchUserInfo(configuration, tokens.access_token, claims.sub)
        : claims;
    return {
      issuer: claims.iss,
      subject: claims.sub,
      email: text(profile['email']),
      emailVerified: profile['email_verified'] === true,
      name: text(profile['name']),
    };
  }

  /** Asks the provider for its endpoints, once; again where it did not answer. */
  #open(): Promise<Opened> {
    return (this.#opened ??= this.#discover().catch((error: unknown) => {
      this.#opened = undefined;
      throw new PlannerError(
        'unavailable',
        `The identity provider at ${this.#options.issuer} does not answer as one (${(error as Error).message}). Try again later.`,
      );
    }));
  }

  async #discover(): Promise<Opened> {
    // Loaded when somebody signs in: a start does not wait for it.
    const library = await import('openid-client');
    const { issuer, clientId, clientSecret } = this.#options;
    const insecure = new URL(issuer).protocol === 'http:';
    const configuration = await library.discovery(
      new URL(issuer),
      clientId,
      undefined,
      clientSecret === undefined ? library.None() : secretAuth(library, clientSecret),
      {
        timeout: timeoutSeconds,
        execute: [
          // OpenID Connect lets a client rely on TLS instead of the ID token's signature; a proxy that ends TLS would be believed then.
          library.enableNonRepudiationChecks,
          // Marked so that it is seen; settings take http on loopback alone.
          // eslint-disable-next-line @typescript-eslint/no-deprecated
          ...(insecure ? [library.allowInsecureRequests] : []),
        ],
      },
    );
    return { library, configuration };
  }
}

/** Shows the client's secret as the provider takes it: in the header, which is what it means where it says nothing, or in the form. */
function secretAuth(library: Library, secret: string): ClientAuth {
  const basic = library.ClientSecretBasic(secret);
  const post = library.ClientSecretPost(secret);
  return (server, ...more) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    return (methods.includes('client_secret_basic') ? basic : post)(server, ...more);
  };
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
