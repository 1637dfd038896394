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
  /** For the authorization server. */
  readonly fetch: typeof fetch;
  readonly logger: Logger;
  /** The client that the user has registered with a server, its values in it. Rejects where one is missing. */
  readonly oauthOf: (server: UserServer, session: ServerSession) => Promise<ServerOAuth | undefined>;
  /** The server of this name can be reached now, or reached for more. */
  readonly signedIn: (serverName: string) => void;
  /** How long a sign-in waits for its user; 5 minutes unless told. */
  readonly timeoutMs?: number;
  /** How often sign-ins of other processes are looked for; every 2 s unless told. */
  readonly pollMs?: number;
}

/** A server whose user is to sign in. */
interface Needed {
  readonly request: LoginRequest;
  readonly session: ServerSession;
  /** What does not do. */
  readonly refused: string | undefined;
}

type Unauthorized = Parameters<NonNullable<AuthProvider["onUnauthorized"]>>[0];
type Challenge = NonNullable<LoginRequest["challenge"]>;

/**
 * The sign-ins that sessions of this process need. The user is asked once for a server, in the session that needs it first,
 * and not again in this process; a sign-in anywhere else, as by `mcp login`, is noticed.
 */
export class SessionSignIns {
  readonly #asked = new Set<string>();
  readonly #needed = new Set<Needed>();
  #isWatching = false;

  constructor(private readonly services: SignInServices) {}

  /** A `FindSignIn`. */
  readonly find = async (
    server: UserServer,
    launch: RemoteLaunch,
    session: ServerSession,
  ): Promise<SignIn | undefined> => {
    const isGiven = Object.keys(launch.headers).some((name) => name.toLowerCase() === "authorization");
    // No token goes over a network that others read.
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
    // More than was granted is another question.
    const question = `${request.serverUrl} ${refused === undefined ? "" : (request.challenge?.scope ?? "")}`;
    if (session.signal.aborted || this.#asked.has(question)) return;
    this.#asked.add(question);
    const ask = async (): Promise<void> => {
      const end = await this.#ask(needed);
      // What was answered, or could not be, may be asked again.
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

  /** Resolves only where the user does not want it. */
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

  /** Looks for new sign-ins for as long as somebody needs one. */
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

/** The sign-in of one connection to a server. */
class ServerSignIn implements SignIn {
  /** The token of the last request. */
  #sent: string | undefined;
  /** A renewed one; where that is refused as well, renewing does not help. */
  #renewed: string | undefined;
  /** What each answered request was sent with: others may have been sent since. */
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

  /** The request is sent again where this resolves. */
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
    // It did help; when its time is over, it is renewed like any other.
    if (token === this.#renewed && response.status !== 401) this.#renewed = undefined;
    if (response.status !== 403) return response;
    const { extractWWWAuthenticateParams } = await import("../mcp-sdk.js");
    const { error, scope, resourceMetadataUrl } = extractWWWAuthenticateParams(response);
    if (error !== "insufficient_scope") return response;
    this.need({ ...this.request, challenge: challengeOf(scope, resourceMetadataUrl) }, token ?? this.#sent);
    await response.body?.cancel();
    throw new SymposiumError(
      "sign-in-failed",
      `"${this.request.serverName}" wants more than you have allowed${scope === undefined ? "" : `: ${scope}`}.`,
      "Allow it in the browser, then try again.",
    );
  };
}

function challengeOf(scope: string | undefined, resourceMetadataUrl: URL | undefined): Challenge {
  return { ...(scope !== undefined && { scope }), ...(resourceMetadataUrl && { resourceMetadataUrl }) };
}
