/** The part of oidc-provider that the tests use; oidc-provider ships no types. */
declare module 'oidc-provider' {
  import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

  export interface Account {
    readonly accountId: string;
    claims(): Readonly<Record<string, unknown>>;
  }

  interface Grant {
    addOIDCScope(scope: string): void;
    save(): Promise<string>;
  }

  interface Context {
    readonly oidc: {
      readonly client: { readonly clientId: string };
      readonly session: { readonly accountId: string };
      readonly provider: Provider;
    };
  }

  export interface Configuration {
    readonly adapter: new (kind: string) => object;
    readonly clients: readonly Readonly<Record<string, unknown>>[];
    readonly clientAuthMethods?: readonly string[];
    readonly claims: Readonly<Record<string, readonly string[]>>;
    readonly conformIdTokenClaims: boolean;
    readonly cookies: { readonly keys: readonly string[] };
    readonly features: Readonly<Record<string, { readonly enabled: boolean }>>;
    readonly interactions: { url(context: Context, interaction: { readonly uid: string }): string };
    readonly jwks: { readonly keys: readonly object[] };
    readonly pkce: { required(): boolean };
    readonly ttl: Readonly<Record<string, number>>;
    findAccount(context: Context, id: string): Account | undefined;
    loadExistingGrant(context: Context): Promise<Grant>;
  }

  export class Provider {
    constructor(issuer: string, configuration: Configuration);
    readonly Grant: new (of: { readonly clientId: string; readonly accountId: string }) => Grant;
    callback(): RequestListener;
    interactionFinished(request: IncomingMessage, response: ServerResponse, result: object): Promise<void>;
  }

  export default Provider;
}
