import type { ClientAuth, Configuration } from 'openid-client';
import { PlannerError } from '../base/errors.ts';
import { claimsOf, isComplete } from '../operations/access/sign-in-desk.ts';
import type { Claims, OwnerRules } from '../operations/access/sign-in-desk.ts';

export interface OpenIdOptions extends Pick<OwnerRules, 'ownerGroups'> {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string | undefined;
  /** The URL to which the identity provider redirects the browser. */
  readonly redirectUri: string;
}

/** Values that the callback must match, to prove that it belongs to this sign-in. */
export interface Expected {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

type Library = typeof import('openid-client');

/** The library and the provider's discovered configuration. */
interface Opened {
  readonly library: Library;
  readonly configuration: Configuration;
}

const timeoutSeconds = 10;
const scope = 'openid email profile';

/** Sign-in by OpenID Connect: the authorization code flow with PKCE. */
export class OpenId {
  readonly #options: OpenIdOptions;
  #opened: Promise<Opened> | undefined;

  constructor(options: OpenIdOptions) {
    this.#options = options;
  }

  /** Returns the authorization URL and the values that the callback must match. Rejects with `unavailable` if the provider does not respond. */
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

  /** Exchanges the callback's query for the user's claims. Rejects with the library's errors. */
  async finish(query: string, { state, nonce, verifier }: Expected): Promise<Claims> {
    const { library, configuration } = await this.#open();
    const tokens = await library.authorizationCodeGrant(
      configuration,
      new URL(`${this.#options.redirectUri}?${query}`),
      { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true },
    );
    const claims = tokens.claims()!;
    // Some providers include the e-mail address in the ID token, others return it from the userinfo endpoint.
    const isAsked =
      !isComplete(claims, this.#options) && configuration.serverMetadata().userinfo_endpoint !== undefined;
    return claimsOf(claims, isAsked ? await library.fetchUserInfo(configuration, tokens.access_token, claims.sub) : {});
  }

  /** Discovers the provider's endpoints once; retries at the next sign-in if it failed. */
  #open(): Promise<Opened> {
    return (this.#opened ??= this.#discover().catch((error: unknown) => {
      this.#opened = undefined;
      throw new PlannerError(
        'unavailable',
        `OpenID Connect discovery at ${this.#options.issuer} failed (${(error as Error).message}). Try again later.`,
      );
    }));
  }

  async #discover(): Promise<Opened> {
    // Loaded at the first sign-in, so that it does not delay the start.
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
          // Verify the ID token's signature: relying on TLS instead, as OpenID Connect allows, would trust a proxy that terminates TLS.
          library.enableNonRepudiationChecks,
          // Deprecated by the library as a warning; the settings allow http only on loopback.
          // oxlint-disable-next-line typescript/no-deprecated
          ...(insecure ? [library.allowInsecureRequests] : []),
        ],
      },
    );
    return { library, configuration };
  }
}

/** Sends the client secret in the header, which is the default, or in the form if the provider supports only that. */
function secretAuth(library: Library, secret: string): ClientAuth {
  const basic = library.ClientSecretBasic(secret);
  const post = library.ClientSecretPost(secret);
  return (server, ...more) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    return (methods.includes('client_secret_basic') ? basic : post)(server, ...more);
  };
}
