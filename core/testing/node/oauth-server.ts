import { createHash, randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text as readText } from "node:stream/consumers";
import { keepAliveMs } from "../../src/base/node/loopback-server.js";
import { asObject } from "../../src/base/rpc/json.js";

/** The user's action on the authorization server's page. */
type UserAnswer = "allow" | "deny" | "wrong-state" | "wrong-issuer" | "look-away";

interface OAuthServerOptions {
  /** Default `allow`. */
  readonly answer?: UserAnswer;
  /** How long an access token holds, as clients are told; default an hour. */
  readonly tokenSeconds?: number;
  /** A client that is registered already, with its secret; others may register themselves then neither. */
  readonly client?: { readonly id: string; readonly secret: string; readonly redirectUri: string };
  /** The issuer that its metadata name; its own when absent. */
  readonly issuer?: string;
  /** Whether tokens can be ended there (RFC 7009); `refuses`: there is such an address, which does not do it. */
  readonly revocation?: "works" | "refuses";
}

interface Client {
  readonly redirectUris: readonly string[];
  readonly secret?: string;
}

/** One permission that a user gave a client. */
interface Grant {
  readonly clientId: string;
  readonly scope: string;
  readonly resource: string;
  isRevoked: boolean;
}

interface Code {
  readonly grant: Grant;
  readonly challenge: string;
  readonly redirectUri: string;
}

/** A refusal of the authorization server, as RFC 6749 names it. */
class Refusal extends Error {
  constructor(readonly code: string) {
    super(code);
  }
}

/**
 * MCP server on loopback that requires OAuth, with its authorization server. Supports RFC 9728 and 8414 metadata, dynamic registration,
 * PKCE and resource indicators. Authorization answers name the issuer. Refresh tokens rotate. The tool `whoami` needs the scope `read`;
 * `erase` needs `write`.
 */
export class OAuthServer implements AsyncDisposable {
  answer: UserAnswer;
  /** How often a token was renewed. */
  renewals = 0;
  /** How often a refresh token came that was used before: a client has lost the one after it. */
  reuses = 0;
  /** The access tokens that MCP requests came with. */
  readonly used: string[] = [];
  /** Every token and code that it has given. */
  readonly given: string[] = [];
  /** Those that a client has ended. */
  readonly revoked: string[] = [];
  readonly registered: Readonly<Record<string, unknown>>[] = [];
  readonly #clients = new Map<string, Client>();
  readonly #codes = new Map<string, Code>();
  readonly #access = new Map<string, Grant>();
  readonly #refresh = new Map<string, Grant>();
  readonly #usedRefresh = new Map<string, Grant>();
  readonly #server: Server;
  #origin = "";

  private constructor(private readonly options: OAuthServerOptions) {
    this.answer = options.answer ?? "allow";
    const { client } = options;
    if (client) this.#clients.set(client.id, { redirectUris: [client.redirectUri], secret: client.secret });
    this.#server = createServer((request, response) => void this.#serve(request, response));
    this.#server.keepAliveTimeout = keepAliveMs;
  }

  static async start(options: OAuthServerOptions = {}): Promise<OAuthServer> {
    const server = new OAuthServer(options);
    await new Promise<void>((resolve) => server.#server.listen(0, "127.0.0.1", resolve));
    server.#origin = `http://127.0.0.1:${(server.#server.address() as AddressInfo).port}`;
    return server;
  }

  /** Of the MCP server. */
  get url(): string {
    return `${this.#origin}/mcp`;
  }

  get issuer(): string {
    return `${this.#origin}/as`;
  }

  /** All access tokens end now; clients are not told. */
  endAccessTokens(): void {
    this.#access.clear();
  }

  /** No grant holds any more. */
  revoke(): void {
    this.endAccessTokens();
    this.#refresh.clear();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? "", this.#origin);
    const body = await readText(request);
    try {
      switch (pathname) {
        case "/mcp": {
          this.#serveMcp(request, body, response);
          return;
        }
        case "/.well-known/oauth-protected-resource/mcp": {
          send(response, 200, this.#resourceMetadata());
          return;
        }
        case "/.well-known/oauth-authorization-server/as": {
          send(response, 200, this.#metadata());
          return;
        }
        case "/as/register": {
          send(response, 201, this.#register(asObject(JSON.parse(body)) ?? {}));
          return;
        }
        case "/as/authorize": {
          this.#authorize(searchParams, response);
          return;
        }
        case "/as/token": {
          send(response, 200, this.#token(request, new URLSearchParams(body)));
          return;
        }
        case "/as/revoke": {
          this.#revokeToken(request, new URLSearchParams(body));
          send(response, this.options.revocation === "works" ? 200 : 503, {});
          return;
        }
        default: {
          send(response, 404, {});
          return;
        }
      }
    } catch (error) {
      send(response, 400, { error: error instanceof Refusal ? error.code : "server_error" });
    }
  }

  #resourceMetadata(): object {
    return { resource: this.url, authorization_servers: [this.issuer], scopes_supported: ["read", "write"] };
  }

  #metadata(): object {
    return {
      issuer: this.options.issuer ?? this.issuer,
      authorization_endpoint: `${this.issuer}/authorize`,
      token_endpoint: `${this.issuer}/token`,
      ...(!this.options.client && { registration_endpoint: `${this.issuer}/register` }),
      ...(this.options.revocation && { revocation_endpoint: `${this.issuer}/revoke` }),
      response_types_supported: ["code"],
      grant_types_supported: ["authorization_code", "refresh_token"],
      code_challenge_methods_supported: ["S256"],
      token_endpoint_auth_methods_supported: ["none", "client_secret_basic"],
      authorization_response_iss_parameter_supported: true,
    };
  }

  #register(metadata: Readonly<Record<string, unknown>>): object {
    if (this.options.client) throw new Refusal("access_denied");
    this.registered.push(metadata);
    const id = `client-${randomUUID()}`;
    this.#clients.set(id, { redirectUris: metadata["redirect_uris"] as string[] });
    return { ...metadata, client_id: id };
  }

  #authorize(query: URLSearchParams, response: ServerResponse): void {
    const of = (name: string): string => query.get(name) ?? "";
    const redirectUri = of("redirect_uri");
    const isKnown = this.#clients.get(of("client_id"))?.redirectUris.includes(redirectUri) === true;
    if (!isKnown || of("response_type") !== "code") return send(response, 400, { error: "invalid_request" });
    if (of("code_challenge_method") !== "S256" || of("resource") !== this.url) {
      return send(response, 400, { error: "invalid_target" });
    }
    if (this.answer === "look-away") return send(response, 200, {});
    const target = new URL(redirectUri);
    target.searchParams.set("state", this.answer === "wrong-state" ? "another" : of("state"));
    target.searchParams.set("iss", this.answer === "wrong-issuer" ? "https://elsewhere.example" : this.issuer);
    if (this.answer === "deny") {
      target.searchParams.set("error", "access_denied");
    } else {
      const code = this.#secret("code");
      const grant = { clientId: of("client_id"), scope: of("scope"), resource: of("resource"), isRevoked: false };
      this.#codes.set(code, { grant, challenge: of("code_challenge"), redirectUri });
      target.searchParams.set("code", code);
    }
    response.writeHead(302, { Location: target.href }).end();
  }

  #token(request: IncomingMessage, form: URLSearchParams): object {
    const of = (name: string): string => form.get(name) ?? "";
    const clientId = this.#clientOf(request, form);
    if (of("resource") !== this.url) throw new Refusal("invalid_target");
    if (of("grant_type") === "authorization_code") {
      const code = this.#codes.get(of("code"));
      this.#codes.delete(of("code"));
      const challenge = createHash("sha256").update(of("code_verifier")).digest("base64url");
      if (code?.challenge !== challenge || code.redirectUri !== of("redirect_uri")) throw new Refusal("invalid_grant");
      if (code.grant.clientId !== clientId) throw new Refusal("invalid_grant");
      return this.#tokens(code.grant);
    }
    if (of("grant_type") !== "refresh_token") throw new Refusal("unsupported_grant_type");
    const token = of("refresh_token");
    const lost = this.#usedRefresh.get(token);
    if (lost) {
      this.reuses++;
      lost.isRevoked = true;
    }
    const grant = this.#refresh.get(token);
    if (!grant || grant.isRevoked || grant.clientId !== clientId) throw new Refusal("invalid_grant");
    this.#refresh.delete(token);
    this.#usedRefresh.set(token, grant);
    this.renewals++;
    return this.#tokens(grant);
  }

  #revokeToken(request: IncomingMessage, form: URLSearchParams): void {
    const clientId = this.#clientOf(request, form);
    const token = form.get("token") ?? "";
    const grant = this.#refresh.get(token) ?? this.#access.get(token);
    if (this.options.revocation !== "works" || grant?.clientId !== clientId) return;
    grant.isRevoked = true;
    this.revoked.push(token);
  }

  #clientOf({ headers }: IncomingMessage, form: URLSearchParams): string {
    const [, basic = ""] = /^Basic (.+)$/.exec(headers.authorization ?? "") ?? [];
    const [id = "", secret] = basic === "" ? [form.get("client_id") ?? ""] : atob(basic).split(":");
    const client = this.#clients.get(id);
    if (!client || client.secret !== secret) throw new Refusal("invalid_client");
    return id;
  }

  #tokens(grant: Grant): object {
    const [access, refresh] = [this.#secret("access"), this.#secret("refresh")];
    this.#access.set(access, grant);
    this.#refresh.set(refresh, grant);
    const expires = this.options.tokenSeconds ?? 3_600;
    return {
      access_token: access,
      refresh_token: refresh,
      token_type: "Bearer",
      expires_in: expires,
      scope: grant.scope,
    };
  }

  #secret(kind: string): string {
    const secret = `${kind}-${randomUUID()}`;
    this.given.push(secret);
    return secret;
  }

  #serveMcp({ headers, method }: IncomingMessage, body: string, response: ServerResponse): void {
    const [, token = ""] = /^Bearer (.+)$/.exec(headers.authorization ?? "") ?? [];
    const grant = this.#access.get(token);
    if (token !== "") this.used.push(token);
    const challenge = `Bearer resource_metadata="${this.#origin}/.well-known/oauth-protected-resource/mcp"`;
    if (!grant || grant.isRevoked) {
      return send(response, 401, {}, { "WWW-Authenticate": `${challenge}, scope="read"` });
    }
    if (method !== "POST") return send(response, 405, {});
    const { id, method: call, params } = asObject(JSON.parse(body)) ?? {};
    const tool = asObject(params)?.["name"];
    if (call === "tools/call" && tool === "erase" && !grant.scope.split(" ").includes("write")) {
      const needs = `${challenge}, error="insufficient_scope", scope="write"`;
      return send(response, 403, {}, { "WWW-Authenticate": needs });
    }
    if (id === undefined) return void response.writeHead(202).end();
    const result = resultOf(call, tool);
    const answer = result ? { result } : { error: { code: -32601, message: "Method not found" } };
    send(response, 200, { jsonrpc: "2.0", id, ...answer });
  }
}

const tools = [
  { name: "whoami", description: "Says who is signed in.", inputSchema: { type: "object" } },
  { name: "erase", description: "Erases everything.", inputSchema: { type: "object" } },
];

function resultOf(method: unknown, tool: unknown): object | undefined {
  switch (method) {
    case "initialize": {
      const serverInfo = { name: "vault", version: "1" };
      return { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo };
    }
    case "ping":
      return {};
    case "tools/list":
      return { tools };
    case "tools/call":
      return { content: [{ type: "text", text: tool === "whoami" ? "You are signed in." : "Erased." }] };
    default:
      return undefined;
  }
}

function send(
  response: ServerResponse,
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { "Content-Type": "application/json", ...headers }).end(JSON.stringify(body));
}
