import type {
  OAuthClientInformationContext,
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from "@modelcontextprotocol/client";
import { randomBytes } from "node:crypto";
import { SymposiumError } from "../../../../base/symposium-error.js";
import { isSafeAddress } from "../../../../settings/address.js";
import type { ServerOAuth } from "../../../../settings/user-server.js";
import { CallbackListener } from "./callback-listener.js";
import { type Login, type LoginStore, withTokens } from "./login-store.js";
import { oauthReason } from "./oauth-reason.js";
import type * as Sdk from "../mcp-sdk.js";

export interface LoginRequest {
  readonly serverName: string;
  readonly serverUrl: string;
  readonly oauth?: ServerOAuth | undefined;
  /** Parameters of the server's `WWW-Authenticate` header. */
  readonly challenge?: { readonly scope?: string; readonly resourceMetadataUrl?: URL };
}

interface LoginServices {
  readonly store: LoginStore;
  readonly fetch: typeof fetch;
}

type LoginEnd = "signed-in" | "declined";

/** A sign-in in progress. Disposing cancels it. */
export interface PendingLogin extends AsyncDisposable {
  readonly url: string;
  /** Rejects with `sign-in-failed`. Never settles after disposal. */
  readonly ended: Promise<LoginEnd>;
  /** Accepts the redirect URL that a browser on another machine couldn't open. Returns false if the URL belongs to another sign-in. */
  receive(address: string): Promise<boolean>;
}

/**
 * Starts a sign-in with authorization code and PKCE: finds the authorization server, registers a client if needed and creates the sign-in
 * URL. Rejects with `sign-in-failed`.
 */
export async function beginLogin(request: LoginRequest, services: LoginServices): Promise<PendingLogin> {
  const sdk = await import("../mcp-sdk.js");
  const known = await services.store.find(request.serverUrl);
  const attempt = new LoginAttempt(sdk, request, services, known);
  try {
    await attempt.begin();
    return attempt;
  } catch (error) {
    await attempt[Symbol.asyncDispose]();
    throw failed(sdk, request, error);
  }
}

class LoginAttempt implements PendingLogin {
  readonly ended: Promise<LoginEnd>;
  readonly #state = randomBytes(32).toString("base64url");
  #settle: { resolve(end: LoginEnd): void; reject(error: unknown): void } | undefined;
  #listener: CallbackListener | undefined;
  #provider: LoginProvider | undefined;

  constructor(
    private readonly sdk: typeof Sdk,
    private readonly request: LoginRequest,
    private readonly services: LoginServices,
    private readonly known: Login | undefined,
  ) {
    this.ended = new Promise((resolve, reject) => (this.#settle = { resolve, reject }));
    // Avoids an unhandled rejection if nobody awaits the end.
    this.ended.catch(() => undefined);
  }

  get url(): string {
    return this.#provider?.authorizationUrl?.href ?? "";
  }

  async begin(): Promise<void> {
    const { request, services, known } = this;
    const port = request.oauth?.callbackPort;
    const { listener, redirectUrl } = await CallbackListener.open({
      ...(port !== undefined && { port }),
      preferredPort: known && Number(new URL(known.redirectUrl).port),
      receive: (parameters) => this.#receive(parameters),
    });
    this.#listener = listener;
    const provider = new LoginProvider({ request, store: services.store, known, redirectUrl, state: this.#state });
    this.#provider = provider;
    // Includes the scopes granted before, so that asking for more doesn't lose them.
    const { challenge } = request;
    const scopes = [request.oauth?.scopes?.join(" "), known?.tokens?.scope, challenge?.scope];
    const scope = this.sdk.computeScopeUnion(...scopes);
    await this.sdk.auth(provider, {
      serverUrl: request.serverUrl,
      fetchFn: services.fetch,
      ...(scope !== undefined && { scope }),
      ...(challenge?.resourceMetadataUrl && { resourceMetadataUrl: challenge.resourceMetadataUrl }),
    });
    const url = provider.authorizationUrl;
    if (url === undefined) throw new Error("it provides no sign-in address");
    if (!isSafeAddress(url.href)) throw new Error(`${url.origin} isn't an https address`);
  }

  async receive(address: string): Promise<boolean> {
    const text = address.trim();
    const parameters = URL.canParse(text) ? new URL(text).searchParams : undefined;
    if (parameters?.get("state") !== this.#state || !this.#settle) return false;
    await this.#receive(parameters);
    return true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#settle = undefined;
    await this.#listener?.[Symbol.asyncDispose]();
  }

  /** Handles the authorization server's redirect, once. Ignores requests with a wrong `state`. Resolves with the text of the page. */
  async #receive(parameters: URLSearchParams): Promise<string> {
    const settle = this.#settle;
    if (!settle || parameters.get("state") !== this.#state) {
      return "Symposium isn't waiting for this sign-in. Start again.";
    }
    this.#settle = undefined;
    try {
      const end = await this.#finish(parameters);
      settle.resolve(end);
      const are = end === "signed-in" ? "are" : "are not";
      return `You ${are} signed in to ${this.request.serverName}. You can close this page.`;
    } catch (error) {
      const failure = failed(this.sdk, this.request, error);
      settle.reject(failure);
      return failure.message;
    }
  }

  async #finish(parameters: URLSearchParams): Promise<LoginEnd> {
    const { sdk, services, request } = this;
    const provider = this.#provider;
    if (!provider) throw new Error("it has not begun");
    const iss = parameters.get("iss") ?? undefined;
    const code = parameters.get("code");
    if (code === null) {
      const { authorizationServerMetadata: metadata } = provider.discoveryState() ?? {};
      sdk.validateAuthorizationResponseIssuer({
        iss,
        expectedIssuer: metadata?.issuer,
        issParameterSupported: metadata?.authorization_response_iss_parameter_supported === true,
      });
      const error = parameters.get("error") ?? "no code";
      if (error === "access_denied") return "declined";
      throw new sdk.OAuthError(error, error);
    }
    const { serverUrl } = request;
    const answer = { serverUrl, authorizationCode: code, fetchFn: services.fetch };
    await sdk.auth(provider, { ...answer, ...(iss !== undefined && { iss }) });
    return "signed-in";
  }
}

function failed(sdk: typeof Sdk, { serverName }: LoginRequest, error: unknown): SymposiumError {
  if (error instanceof SymposiumError) return error;
  return new SymposiumError(
    "sign-in-failed",
    `The sign-in to "${serverName}" failed: ${oauthReason(sdk, error)}.`,
    `Run \`symposium-acp-agent mcp login ${serverName}\` to try again.`,
  );
}

interface ProviderOptions {
  readonly request: LoginRequest;
  readonly store: LoginStore;
  readonly known: Login | undefined;
  readonly redirectUrl: string;
  readonly state: string;
}

/** OAuth provider of one sign-in. Unfinished state exists only here; tokens are stored as soon as they arrive. */
class LoginProvider implements OAuthClientProvider {
  readonly redirectUrl: string;
  authorizationUrl: URL | undefined;
  /** Stores the client that Symposium registered; undefined if the user configured a client, which needs no registration. */
  readonly saveClientInformation?: (client: StoredOAuthClientInformation) => void;
  #client: StoredOAuthClientInformation | undefined;
  #verifier = "";
  #discovery: OAuthDiscoveryState | undefined;

  constructor(private readonly options: ProviderOptions) {
    const { known, redirectUrl, request } = options;
    this.redirectUrl = redirectUrl;
    if (request.oauth?.clientId !== undefined) return;
    if (known?.redirectUrl === redirectUrl) this.#client = known.client;
    this.saveClientInformation = (client) => (this.#client = client);
  }

  get clientMetadata(): OAuthClientMetadata {
    const { redirectUrl } = this;
    const scope = this.options.request.oauth?.scopes?.join(" ");
    return {
      client_name: "Symposium",
      redirect_uris: [redirectUrl],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
      ...(scope !== undefined && { scope }),
    };
  }

  state(): string {
    return this.options.state;
  }

  clientInformation(context?: OAuthClientInformationContext): StoredOAuthClientInformation | undefined {
    const { oauth } = this.options.request;
    if (oauth?.clientId === undefined) return this.#client;
    // Binds the user's own client to the first issuer that it was used with, so that no other issuer gets its secret.
    const known = this.options.known;
    const issuer = known?.client.client_id === oauth.clientId ? known.issuer : context?.issuer;
    return {
      client_id: oauth.clientId,
      ...(oauth.clientSecret !== undefined && { client_secret: oauth.clientSecret }),
      ...(issuer !== undefined && { issuer }),
    };
  }

  /** Ignores stored tokens, since a sign-in starts only after the stored tokens failed. */
  tokens(): undefined {
    return undefined;
  }

  async saveTokens(tokens: StoredOAuthTokens, context?: OAuthClientInformationContext): Promise<void> {
    const issuer = context?.issuer ?? tokens.issuer ?? "";
    const client = this.clientInformation({ issuer });
    const discovery = this.#discovery;
    if (!client || !discovery) throw new Error("tokens came before their client was known");
    const { serverUrl } = this.options.request;
    const login: Login = { serverUrl, issuer, discovery, client, redirectUrl: this.redirectUrl };
    await this.options.store.keep(withTokens(login, tokens));
  }

  redirectToAuthorization(url: URL): void {
    this.authorizationUrl = url;
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }

  codeVerifier(): string {
    return this.#verifier;
  }

  saveDiscoveryState(discovery: OAuthDiscoveryState): void {
    this.#discovery = discovery;
  }

  discoveryState(): OAuthDiscoveryState | undefined {
    return this.#discovery;
  }
}
