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

/** What is kept of a sign-in to one server. */
export interface Login {
  readonly serverUrl: string;
  /** The authorization server that gave all of this; nothing of it is ever sent to another one. */
  readonly issuer: string;
  readonly discovery: OAuthDiscoveryState;
  readonly client: StoredOAuthClientInformation;
  /** What the client is registered with. */
  readonly redirectUrl: string;
  /** Absent where they were refused: the registration still holds. */
  readonly tokens?: StoredOAuthTokens;
  /** When the access token ends, in milliseconds since 1970; undefined where nobody said it. */
  readonly expiresAt?: number;
}

/** What became of a sign-in that was forgotten; `unread` says why nobody could be asked to end it. */
export type ForgottenLogin = { readonly issuer: string; readonly revocation: Revocation } | { readonly unread: string };

interface LoginStoreOptions {
  readonly file: SecretFile;
  readonly fetch: typeof fetch;
  /** Hears every token, so that it can be kept out of traces. */
  readonly learn?: (value: string) => void;
}

/** A token that ends within this time is renewed before it is used. */
const earlyMs = 30_000;
/** The longest that others may take to renew a token. */
const renewalMs = 60_000;

/** The sign-ins of this user, one for each server, which all processes share: one of them renews a token for all. */
export class LoginStore {
  readonly #learn: (value: string) => void;

  constructor(private readonly options: LoginStoreOptions) {
    this.#learn = options.learn ?? (() => undefined);
  }

  /** Changes whenever a sign-in may have. */
  version(): Promise<string> {
    return this.options.file.version();
  }

  /** Whether something is kept of a sign-in to this server. Reads no secret. */
  async has(serverUrl: string): Promise<boolean> {
    return (await this.options.file.names()).includes(nameOf(serverUrl));
  }

  /** The addresses of the servers with a sign-in, as far as they can be read and `isMeant` says so. */
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
   * Forgets a sign-in, and has the authorization server end it where it can. What it says is part of the result: the
   * sign-in is forgotten here in any case, also where it cannot be read. Undefined where there was none. Rejects with
   * `secrets-not-read` where the whole file is broken.
   */
  async forget(serverUrl: string): Promise<ForgottenLogin | undefined> {
    const taken = await this.#take(serverUrl);
    if (taken === undefined || "unread" in taken) return taken;
    const { revokeTokens } = await import("./revocation.js");
    return { issuer: taken.issuer, revocation: await revokeTokens(taken, this.options.fetch) };
  }

  /** Removes a sign-in, under a lock that does not wait for the authorization server. */
  async #take(serverUrl: string): Promise<Login | { readonly unread: string } | undefined> {
    await using _lock = await this.#lock(serverUrl);
    const found = await this.find(serverUrl).catch((error: unknown) => ({ unread: unreadReason(error) }));
    if (!(await this.options.file.remove(nameOf(serverUrl)))) return undefined;
    return found ?? { unread: damaged };
  }

  /** The access token, renewed where it has come to its end; undefined where the user must sign in. */
  async token(serverUrl: string): Promise<string | undefined> {
    const login = await this.find(serverUrl);
    const token = login?.tokens?.access_token;
    if (token === undefined || login?.expiresAt === undefined || Date.now() < login.expiresAt - earlyMs) return token;
    return login.tokens?.refresh_token === undefined ? token : this.renew(serverUrl, token);
  }

  /**
   * A token in place of `used`, which is refused or at its end: the one that another process has renewed, or else a new one.
   * Undefined where the user must sign in. Rejects with `sign-in-failed` where the authorization server cannot say.
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

  /** Undefined where the authorization server refuses: the grant has ended. */
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
      // A server that grants what it has granted before need not repeat it.
      return { ...tokens, scope: tokens.scope ?? login.tokens?.scope };
    } catch (error) {
      if (error instanceof sdk.OAuthError && finalRefusals.has(error.code)) return undefined;
      throw new SymposiumError(
        "sign-in-failed",
        `The sign-in at ${login.issuer} cannot be renewed: ${oauthReason(sdk, error)}.`,
        "It is tried again with the next request.",
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

/** By which the authorization server says that this grant, or this client, is none any more. */
const finalRefusals: ReadonlySet<string> = new Set(["invalid_grant", "invalid_client", "unauthorized_client"]);

const damaged = "what is kept of it is damaged";

/** A parser's message would have a piece of what it parses. */
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

/** An address may hold a secret, so its digest is the name. */
function nameOf(serverUrl: string): string {
  const url = new URL(serverUrl);
  url.hash = "";
  return `${namePrefix}${createHash("sha256").update(url.href).digest("hex").slice(0, 32)}`;
}

/** We wrote it, and the file is its user's alone; what has another form is none. */
function asLogin(value: unknown): Login | undefined {
  const { serverUrl, issuer, redirectUrl, discovery, client } = asObject(value) ?? {};
  const isLogin = [serverUrl, issuer, redirectUrl, asObject(client)?.["client_id"]].every(
    (one) => typeof one === "string",
  );
  return isLogin && asObject(discovery) ? (value as Login) : undefined;
}
