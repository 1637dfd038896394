import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { proxiedFetch } from "../../../../base/node/proxied-fetch.js";
import type { AuthProvider, FetchLike } from "@modelcontextprotocol/client";
import type { Logger } from "../../../../base/logger.js";
import { messageOf, SymposiumError } from "../../../../base/symposium-error.js";
import { isSafeAddress } from "../../../../settings/address.js";
import type { ServerOAuth, UserServer } from "../../../../settings/user-server.js";
import type { RemoteLaunch, ServerSession } from "../../expanded-launch.js";
import { askToOpen, showText, tellOpened } from "../../session-question.js";
import type { SignIn } from "../sign-in.js";
import { beginLogin, type LoginRequest, type PendingLogin } from "./login-flow.js";
import type { LoginStore } from "./login-store.js";

interface SignInServices {
  readonly store: LoginStore;
  readonly fetch: typeof fetch;
  readonly logger: Logger;
  /** Expands the OAuth client that the user configured for a server. Rejects if a value is missing. */
  readonly oauthOf: (server: UserServer, session: ServerSession) => Promise<ServerOAuth | undefined>;
  /** Called when a sign-in made the server usable or added scopes. */
  readonly signedIn: (serverName: string) => void;
  /** Time limit of a sign-in; default 5 minutes. */
  readonly timeoutMs?: number;
  /** Interval for detecting sign-ins by other processes; default 2 s. */
  readonly pollMs?: number;
}

interface Needed {
  readonly request: LoginRequest;
  readonly session: ServerSession;
  /** The rejected token. */
  readonly refused: string | undefined;
}

type Unauthorized = Parameters<NonNullable<AuthProvider["onUnauthorized"]>>[0];
type Challenge = NonNullable<LoginRequest["challenge"]>;

/**
 * Sign-ins that this process's sessions need. Asks the user once per server and process, in the first session that needs it. Also detects
 * sign-ins elsewhere, for example by `mcp login`.
 */
export class SessionSignIns {
  readonly #asked = new Set<string>();
  readonly #needed = new Set<Needed>();
  #isWatching = false;

  constructor(private readonly services: SignInServices) {}

  /** Implements `FindSignIn`. */
  readonly find = async (
    server: UserServer,
    launch: RemoteLaunch,
    session: ServerSession,
  ): Promise<SignIn | undefined> => {
    const isGiven = Object.keys(launch.headers).some((name) => name.toLowerCase() === "authorization");
    // Never send tokens over an unencrypted network.
    if (isGiven || !isSafeAddress(launch.url)) return undefined;
    const oauth = await this.services.oauthOf(server, session);
    const request = { serverName: server.name, serverUrl: launch.url, oauth };
    return new ServerSignIn(request, this.services.store, (...needed) => this.#need(session, ...needed));
  };

  #need(session: ServerSession, request: LoginRequest, refused: string | undefined): void {
    const needed = { request, session, refused };
    this.#needed.add(needed);
    session.signal.addEventListener("abort", () => this.#needed.delete(needed), { once: true });
    void this.#watch();
    // If the server requires additional scopes, the user is asked again.
    const question = `${request.serverUrl} ${refused === undefined ? "" : (request.challenge?.scope ?? "")}`;
    if (session.signal.aborted || this.#asked.has(question)) return;
    this.#asked.add(question);
    const ask = async (): Promise<void> => {
      const end = await this.#ask(needed);
      // Allows a new question after success, or if the session ended first.
      if (end === "signed-in" || session.signal.aborted) this.#asked.delete(question);
    };
    ask().catch((error: unknown) => {
      this.services.logger.warn("a sign-in failed", { server: request.serverName, reason: messageOf(error) });
      return showText(session, messageOf(error));
    });
  }

  async #ask({ request, session }: Needed): Promise<"signed-in" | "declined" | "late"> {
    const { store, fetch, timeoutMs = 5 * 60_000 } = this.services;
    await using pending = await beginLogin(request, { store, fetch });
    const over = new AbortController();
    const elicitationId = randomUUID();
    try {
      const refused = this.#show(request, session, pending, elicitationId, over.signal);
      const late = delay(timeoutMs, "late" as const, {
        ref: false,
        signal: AbortSignal.any([over.signal, session.signal]),
      });
      const end = await Promise.race([pending.ended, refused, late.catch(() => "late" as const)]);
      this.services.logger.info("a sign-in ended", { server: request.serverName, end });
      if (end !== "signed-in") return end;
      await tellOpened(session, elicitationId);
      await this.#notice();
      return end;
    } finally {
      over.abort();
    }
  }

  /** Resolves only if the user declines. */
  async #show(
    { serverName }: LoginRequest,
    session: ServerSession,
    { url }: PendingLogin,
    elicitationId: string,
    signal: AbortSignal,
  ): Promise<"declined"> {
    const message = `Sign in to the MCP server "${serverName}".`;
    const { action } = await askToOpen(session, { message, url, elicitationId }, signal);
    if (action === "decline") return "declined";
    if (action === "unable" && !signal.aborted) {
      const text = `The MCP server "${serverName}" wants you to sign in: open ${url}`;
      await showText(session, `${text}, or run \`symposium-acp-agent mcp login ${serverName}\`.`);
    }
    return new Promise(() => undefined);
  }

  async #watch(): Promise<void> {
    if (this.#isWatching) return;
    this.#isWatching = true;
    const { store, pollMs = 2_000, logger } = this.services;
    try {
      let seen = "";
      while (this.#needed.size > 0) {
        const version = await store.version();
        if (version !== seen) await this.#notice();
        seen = version;
        await delay(pollMs, undefined, { ref: false });
      }
    } catch (error) {
      logger.warn("sign-ins are not watched", { reason: messageOf(error) });
    } finally {
      this.#isWatching = false;
    }
  }

  async #notice(): Promise<void> {
    const names = new Set<string>();
    for (const needed of [...this.#needed]) {
      const token = (await this.services.store.find(needed.request.serverUrl))?.tokens?.access_token;
      const isDone = token !== undefined && token !== needed.refused;
      if (isDone && this.#needed.delete(needed)) names.add(needed.request.serverName);
    }
    for (const name of names) this.services.signedIn(name);
  }
}

class ServerSignIn implements SignIn {
  #sent: string | undefined;
  /** The last renewed token. If the server rejects it too, another renewal doesn't help. */
  #renewed: string | undefined;
  /** Token of each answered request. The response may belong to an older request than `#sent`. */
  readonly #sentWith = new WeakMap<Response, string>();

  constructor(
    private readonly request: LoginRequest,
    private readonly store: LoginStore,
    private readonly need: (request: LoginRequest, refused: string | undefined) => void,
  ) {}

  async token(): Promise<string | undefined> {
    this.#sent = await this.store.token(this.request.serverUrl);
    return this.#sent;
  }

  /** If this resolves, the SDK sends the request again. */
  async onUnauthorized({ response }: Unauthorized): Promise<void> {
    const sdk = await import("../mcp-sdk.js");
    const { request, store } = this;
    const sent = this.#sentWith.get(response) ?? this.#sent;
    if (sent !== undefined && sent !== this.#renewed) {
      this.#renewed = await store.renew(request.serverUrl, sent);
      if (this.#renewed !== undefined) return;
    }
    const { scope, resourceMetadataUrl } = sdk.extractWWWAuthenticateParams(response);
    this.need({ ...request, challenge: challengeOf(scope, resourceMetadataUrl) }, sent);
    throw new sdk.UnauthorizedError(`"${request.serverName}" wants you to sign in.`);
  }

  readonly fetch: FetchLike = async (url, init) => {
    const response = await proxiedFetch(url, init);
    const [, token] = /^Bearer (.+)$/.exec(new Headers(init?.headers).get("authorization") ?? "") ?? [];
    if (token !== undefined) this.#sentWith.set(response, token);
    // The renewed token works, so allow its renewal after it expires.
    if (token === this.#renewed && response.status !== 401) this.#renewed = undefined;
    if (response.status !== 403) return response;
    const { extractWWWAuthenticateParams } = await import("../mcp-sdk.js");
    const { error, scope, resourceMetadataUrl } = extractWWWAuthenticateParams(response);
    if (error !== "insufficient_scope") return response;
    this.need({ ...this.request, challenge: challengeOf(scope, resourceMetadataUrl) }, token ?? this.#sent);
    await response.body?.cancel();
    throw new SymposiumError(
      "sign-in-failed",
      `"${this.request.serverName}" requests more access than you have allowed${scope === undefined ? "" : `: ${scope}`}.`,
      "Allow it in the browser, then try again.",
    );
  };
}

function challengeOf(scope: string | undefined, resourceMetadataUrl: URL | undefined): Challenge {
  return { ...(scope !== undefined && { scope }), ...(resourceMetadataUrl && { resourceMetadataUrl }) };
}
