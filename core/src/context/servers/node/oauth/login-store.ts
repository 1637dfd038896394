import type {
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from "@modelcontextprotocol/client";
import { createHash } from "node:crypto";
import { SymposiumError } from "../../../../base/symposium-error.js";
import { FileLock } from "../../../../base/node/file-lock.js";
import { asObject, parsedValue } from "../../../../base/rpc/json.js";
import type { SecretFile } from "../secrets/secret-file.js";
import { oauthReason } from "./oauth-reason.js";
import type { Revocation } from "./revocation.js";

export interface Login {
  readonly serverUrl: string;
  /** Authorization server that issued this data, which is never sent to another one. */
  readonly issuer: string;
  readonly discovery: OAuthDiscoveryState;
  readonly client: StoredOAuthClientInformation;
  readonly redirectUrl: string;
  /** The sign-in's tokens; undefined if they were rejected. The registration remains valid. */
  readonly tokens?: StoredOAuthTokens;
  /** Expiry of the access token in milliseconds since 1970; undefined if unknown. */
  readonly expiresAt?: number;
}

/** Result of removing a sign-in. `unread` is the reason why the authorization server couldn't be asked to revoke its tokens. */
export type ForgottenLogin = { readonly issuer: string; readonly revocation: Revocation } | { readonly unread: string };

interface LoginStoreOptions {
  readonly file: SecretFile;
  readonly fetch: typeof fetch;
  /** Called with every token, to redact it from traces. */
  readonly learn?: (value: string) => void;
}

/** Tokens that expire within this time are renewed before use. */
const earlyMs = 30_000;
/** Longest wait for another process that renews a token. */
const renewalMs = 60_000;

/** The user's sign-ins, one per server, shared by all processes. One process renews a token for all. */
export class LoginStore {
  readonly #learn: (value: string) => void;

  constructor(private readonly options: LoginStoreOptions) {
    this.#learn = options.learn ?? (() => undefined);
  }

  /** Returns a value that changes whenever a sign-in may have changed. */
  version(): Promise<string> {
    return this.options.file.version();
  }

  /** Whether a sign-in to this server is stored. Reads no secrets. */
  async has(serverUrl: string): Promise<boolean> {
    return (await this.options.file.names()).includes(nameOf(serverUrl));
  }

  /** Returns the URLs of servers with a stored sign-in that `isMeant` accepts. Skips unreadable entries. */
  async addresses(isMeant: (serverUrl: string) => boolean): Promise<readonly string[]> {
    const names = (await this.options.file.names()).filter((name) => name.startsWith(namePrefix));
    const read = names.map(async (name) => {
      const text = await this.options.file.get(name).catch(() => undefined);
      const url = text === undefined ? undefined : asLogin(parsedValue(text))?.serverUrl;
      return url !== undefined && isMeant(url) ? [url] : [];
    });
    return (await Promise.all(read)).flat();
  }

  async find(serverUrl: string): Promise<Login | undefined> {
    const text = await this.options.file.get(nameOf(serverUrl));
    const login = text === undefined ? undefined : asLogin(JSON.parse(text));
    if (login) this.#learnFrom(login);
    return login;
  }

  async keep(login: Login): Promise<void> {
    await using _lock = await this.#lock(login.serverUrl);
    await this.#keep(login);
  }

  async #keep(login: Login): Promise<void> {
    this.#learnFrom(login);
    await this.options.file.set(nameOf(login.serverUrl), JSON.stringify(login));
  }

  /**
   * Deletes a sign-in, even an unreadable one, and asks the authorization server to revoke it. Returns undefined if none was stored.
   * Rejects with `secrets-not-read` if the whole file is damaged.
   */
  async forget(serverUrl: string): Promise<ForgottenLogin | undefined> {
    const taken = await this.#take(serverUrl);
    if (taken === undefined || "unread" in taken) return taken;
    const { revokeTokens } = await import("./revocation.js");
    return { issuer: taken.issuer, revocation: await revokeTokens(taken, this.options.fetch) };
  }

  /** Removes a sign-in. Releases the lock before any request to the authorization server. */
  async #take(serverUrl: string): Promise<Login | { readonly unread: string } | undefined> {
    await using _lock = await this.#lock(serverUrl);
    const found = await this.find(serverUrl).catch((error: unknown) => ({ unread: unreadReason(error) }));
    if (!(await this.options.file.remove(nameOf(serverUrl)))) return undefined;
    return found ?? { unread: damaged };
  }

  /** Returns the access token, renewed if it expires soon; undefined if the user must sign in. */
  async token(serverUrl: string): Promise<string | undefined> {
    const login = await this.find(serverUrl);
    const token = login?.tokens?.access_token;
    if (token === undefined || login?.expiresAt === undefined || Date.now() < login.expiresAt - earlyMs) return token;
    return login.tokens?.refresh_token === undefined ? token : this.renew(serverUrl, token);
  }

  /**
   * Replaces the rejected or expired token `used`, with a token renewed by another process or a new one. Returns undefined if the user must
   * sign in. Rejects with `sign-in-failed` if the renewal fails for another reason.
   */
  async renew(serverUrl: string, used: string): Promise<string | undefined> {
    await using _lock = await this.#lock(serverUrl);
    const login = await this.find(serverUrl);
    const { access_token, refresh_token } = login?.tokens ?? {};
    if (login === undefined || access_token !== used) return access_token;
    if (refresh_token === undefined) return undefined;
    const tokens = await this.#refresh(login, refresh_token);
    await this.#keep(withTokens(login, tokens && { ...tokens, issuer: login.issuer }));
    return tokens?.access_token;
  }

  /** Returns undefined if the authorization server ended the grant. */
  async #refresh(login: Login, refreshToken: string): Promise<StoredOAuthTokens | undefined> {
    const sdk = await import("../mcp-sdk.js");
    const { discovery, client } = login;
    const { authorizationServerMetadata: metadata, resourceMetadata } = discovery;
    try {
      const tokens = await sdk.refreshAuthorization(discovery.authorizationServerUrl, {
        ...(metadata && { metadata }),
        clientInformation: client,
        refreshToken,
        ...(resourceMetadata && { resource: resourceMetadata.resource }),
        fetchFn: this.options.fetch,
      });
      // The server may omit an unchanged scope.
      return { ...tokens, scope: tokens.scope ?? login.tokens?.scope };
    } catch (error) {
      if (error instanceof sdk.OAuthError && finalRefusals.has(error.code)) return undefined;
      throw new SymposiumError(
        "sign-in-failed",
        `The sign-in at ${login.issuer} cannot be renewed: ${oauthReason(sdk, error)}.`,
        "Symposium tries again with the next request.",
      );
    }
  }

  #lock(serverUrl: string): Promise<FileLock> {
    return FileLock.take(`${this.options.file.path}-${nameOf(serverUrl).replace(":", "-")}`, { waitMs: renewalMs });
  }

  #learnFrom({ tokens, client }: Login): void {
    const secret: unknown = client.client_secret;
    for (const value of [tokens?.access_token, tokens?.refresh_token, secret]) {
      if (typeof value === "string") this.#learn(value);
    }
  }
}

/** OAuth errors that mean that the grant or the client is no longer valid. */
const finalRefusals: ReadonlySet<string> = new Set(["invalid_grant", "invalid_client", "unauthorized_client"]);

const damaged = "its stored data is damaged";

/** Omits a parser's message, which would quote the secret data. */
function unreadReason(error: unknown): string {
  return error instanceof SymposiumError ? error.message.replace(/\.$/, "") : damaged;
}

export function withTokens(login: Login, tokens: StoredOAuthTokens | undefined): Login {
  const { tokens: _tokens, expiresAt: _expiresAt, ...rest } = login;
  if (tokens === undefined) return rest;
  const { expires_in: seconds } = tokens;
  return { ...rest, tokens, ...(seconds !== undefined && { expiresAt: Date.now() + seconds * 1_000 }) };
}

const namePrefix = "login:";

/** Hashes the URL, since it may contain a secret. */
function nameOf(serverUrl: string): string {
  const url = new URL(serverUrl);
  url.hash = "";
  return `${namePrefix}${createHash("sha256").update(url.href).digest("hex").slice(0, 32)}`;
}

/** Checks only the main members, since only Symposium writes this private file. */
function asLogin(value: unknown): Login | undefined {
  const { serverUrl, issuer, redirectUrl, discovery, client } = asObject(value) ?? {};
  const isLogin = [serverUrl, issuer, redirectUrl, asObject(client)?.["client_id"]].every(
    (one) => typeof one === "string",
  );
  return isLogin && asObject(discovery) ? (value as Login) : undefined;
}
