import { homedir } from "node:os";
import { desktopVariables, minimalEnvironment } from "../../../base/node/minimal-environment.js";
import { startProgram } from "../../../base/node/start-program.js";
import { invalidArguments, SymposiumError } from "../../../base/symposium-error.js";
import { isSafeAddress } from "../../../settings/address.js";
import type { Command } from "../../../base/command.js";
import type { ServerInput, ServerOAuth, UserServer } from "../../../settings/user-server.js";
import type { ExpandedLaunch } from "../../../context/servers/expanded-launch.js";
import { expandOAuth, expandWith, inputName, missingInputs } from "../../../context/servers/node/expand-launch.js";
import { beginLogin, type PendingLogin } from "../../../context/servers/node/oauth/login-flow.js";
import { couldBe } from "../../../context/servers/variables.js";
import { challengeOf } from "../../../context/servers/node/oauth/challenge.js";
import type { ForgottenLogin } from "../../../context/servers/node/oauth/login-store.js";
import type { SecretFile } from "../../../context/servers/node/secrets/secret-file.js";
import { nobody } from "../../../base/rpc/peer.js";
import { oauthFetch, userAccess } from "../../../context/servers/node/secrets-and-sign-in.js";
import { readSoundConfig } from "../../read-user-config.js";
import { type KnownServer, knownServers, originText } from "./servers-for-folder.js";
import { say, warn } from "../output.js";
import { subcommand } from "../subcommand.js";
import { waitingFor } from "../waiting-line.js";
import { hiddenValue, shownValue } from "./ask-value.js";

const argument = { "<NAME>": "one of your servers or this project's, as `mcp list` shows it" } as const;
const waitMs = 10 * 60_000;

export const login = subcommand({
  name: "mcp login",
  about: "Sign in to an MCP server in your browser, for all agents and editors. First asks for missing inputs.",
  arguments: argument,
  options: {
    "no-browser": { about: "print the address to open, and ask for the address that the browser is redirected to" },
  },
  async run({ values, positionals: [name = ""] }) {
    const server = allowed(await serverNamed(name));
    const { secrets, store } = userAccess();
    const launch = await launchOf(server, secrets);
    if (launch.type === "stdio")
      return say(`"${name}" is a local program and needs no sign-in. All its values are set.`);
    const { url: serverUrl } = launch;
    if (!isSafeAddress(serverUrl)) {
      const hint = "Sign-in requires an HTTPS address, or an HTTP address on this machine.";
      throw new SymposiumError("sign-in-failed", `"${name}" has no HTTPS address.`, hint);
    }
    const challenge = await waitingFor("Asking the server", challengeOf(name, launch, oauthFetch));
    if (challenge === undefined) return say(`"${name}" needs no sign-in.`);
    const request = { serverName: name, serverUrl, oauth: await oauthOf(server, secrets), challenge };
    await using pending = await beginLogin(request, { store, fetch: oauthFetch });
    const end = await waitFor(pending, values["no-browser"] === true);
    if (end === "declined") throw new SymposiumError("sign-in-failed", `You did not allow the sign-in to "${name}".`);
    return await say(`You are signed in to "${name}". ${await secrets.protection()}`);
  },
});

export const logout = subcommand({
  name: "mcp logout",
  about:
    "Sign out of an MCP server. If the authorization server can't end the sign-in, open sessions may use it until it expires.",
  arguments: argument,
  async run({ positionals: [name = ""] }) {
    // Signing out contacts no server of the project and starts no program from it, so it requires no approval.
    const { server, needsApproval } = await serverNamed(name);
    const url = await keptAddress(server, needsApproval);
    const end = url === undefined ? undefined : await userAccess().store.forget(url);
    if (end === undefined) return say(`You were not signed in to "${name}".`);
    return say(`The sign-in to "${name}" was removed${describeRevocation(end)}`);
  },
});

/**
 * Returns the URL under which a server's sign-in is stored; undefined for stdio servers. Ignores headers, so their missing values don't
 * matter. If the URL itself lacks a value, returns the only stored URL that it could match.
 */
async function keptAddress(server: UserServer, isStrangers: boolean): Promise<string | undefined> {
  const { secrets, store } = userAccess();
  const { launch, name } = server;
  if (launch.type === "stdio") return undefined;
  const address: UserServer = { ...server, launch: { ...launch, headers: {} } };
  const expanded = await expandWith({ secrets, env: process.env, home: homedir() })(address, terminalSession);
  if (!("missing" in expanded)) return expanded.type === "stdio" ? undefined : expanded.url;
  // A malicious project could write a URL that matches any stored sign-in.
  const found = isStrangers ? [] : await store.addresses((url) => couldBe(launch.url, url));
  if (found.length === 1) return found[0];
  if (found.length === 0 && !isStrangers) return undefined;
  throw invalidArguments(
    `The address of "${name}" has no value for ${expanded.missing}, so its sign-in can't be identified.`,
    "Set the variable, or store a secret with `symposium-acp-agent mcp secret set NAME`, then run this command again.",
  );
}

function describeRevocation(end: ForgottenLogin): string {
  if ("unread" in end) {
    return `. Its authorization server could not end it (${end.unread}): it stays valid there until it expires.`;
  }
  const { issuer, revocation } = end;
  switch (revocation.kind) {
    case "revoked":
      return `, and ended at ${issuer}.`;
    case "unsupported":
      return `. ${issuer} has no way to end it: it stays valid there until it expires.`;
    case "failed":
      return `. ${issuer} could not end it (${revocation.reason}): it stays valid there until it expires.`;
    case "none":
      return ".";
  }
}

/** Finds a server by name in config.jsonc, the editor's settings and this folder's project. Identical duplicates count once. */
async function serverNamed(name: string): Promise<KnownServer> {
  const found = (await knownServers(process.cwd(), await readSoundConfig("go-on"), warn)).filter(
    ({ server }) => server.name === name,
  );
  const [known] = found;
  if (!known) {
    const hint = "Run `symposium-acp-agent mcp list` to list your servers and those of this folder's project.";
    throw invalidArguments(`There is no MCP server "${name}" in your configuration.`, hint);
  }
  const ways = new Set(found.map(({ server: { launch, oauth } }) => JSON.stringify([launch, oauth])));
  if (ways.size === 1) return known;
  throw invalidArguments(
    `More than one MCP server is "${name}": of ${found.map(({ server }) => originText(server.origin)).join(", and of ")}.`,
    "Rename one of them.",
  );
}

/** Throws if the server belongs to a project that the user hasn't approved. */
function allowed({ server, needsApproval }: KnownServer): UserServer {
  if (!needsApproval) return server;
  throw invalidArguments(
    `"${server.name}" belongs to this folder's project (${originText(server.origin)}), which you have not allowed.`,
    "Run `symposium-acp-agent trust .` to review and allow what the project asks for.",
  );
}

/** Asks for missing inputs if stdin is a terminal. */
async function launchOf(server: UserServer, secrets: SecretFile): Promise<ExpandedLaunch> {
  let inputs: readonly ServerInput[] = [];
  const env = process.env;
  const expand = expandWith({ secrets, env, home: homedir(), missesInputs: (_server, missing) => (inputs = missing) });
  let launch = await expand(server, terminalSession);
  if ("missing" in launch && inputs.length > 0 && process.stdin.isTTY) {
    for (const input of inputs) await secrets.set(inputName(input.id), await answerTo(input));
    launch = await expand(server, terminalSession);
  }
  if (!("missing" in launch)) return launch;
  const ids = missingInputs(server, launch.missing.split(", "));
  const hint =
    ids.length > 0
      ? "Run this command in a terminal, where it prompts for the value."
      : "Set the variable, or store a secret with `symposium-acp-agent mcp secret set NAME`.";
  throw invalidArguments(`"${server.name}" lacks ${launch.missing}.`, hint);
}

function oauthOf(server: UserServer, secrets: SecretFile): Promise<ServerOAuth | undefined> {
  return expandOAuth(server, terminalSession, { secrets, env: process.env, home: homedir() });
}

async function answerTo({ id, description, isSecret, options, default: proposed = "" }: ServerInput): Promise<string> {
  const choices = options ? ` (${options.join(", ")})` : "";
  const question = `${description ?? id}${choices}${proposed === "" ? "" : ` [${proposed}]`}: `;
  for (;;) {
    const value = (isSecret ? await hiddenValue(question) : await shownValue(question)) || proposed;
    if (value !== "" && (options?.includes(value) ?? true)) return value;
  }
}

/** Without a session, the current folder replaces the session's folder. */
const terminalSession = {
  cwd: process.cwd(),
  roots: [process.cwd()],
  client: nobody,
  clientCapabilities: {},
  sessionId: undefined,
  signal: new AbortController().signal,
};

/** Waits for the user to sign in. If the browser runs on another machine, the user pastes the URL of the final page. */
async function waitFor(pending: PendingLogin, isElsewhere: boolean): Promise<"signed-in" | "declined"> {
  warn(`Sign in at:\n\n    ${pending.url}\n`);
  const over = new AbortController();
  const late = new Promise<never>((_resolve, reject) => {
    const fail = (): void => reject(new SymposiumError("sign-in-failed", "Nobody has signed in for 10 minutes."));
    setTimeout(fail, waitMs).unref();
  });
  if (!isElsewhere) openBrowser(pending.url);
  else if (process.stdin.isTTY) void takeAddress(pending, over.signal);
  try {
    return await Promise.race([pending.ended, late]);
  } finally {
    over.abort();
  }
}

async function takeAddress(pending: PendingLogin, signal: AbortSignal): Promise<void> {
  const question = "If the browser is on another machine, paste the address here that it could not open: ";
  while (!signal.aborted) {
    const address = await shownValue(question, signal).catch(() => undefined);
    if (address === undefined || (await pending.receive(address))) return;
    warn("That isn't the address for this sign-in.");
  }
}

function openBrowser(url: string): void {
  const env = minimalEnvironment(process.env, { more: desktopVariables, notFrom: [process.cwd()] });
  const started = startProgram(
    { ...browserCommand(url), cwd: homedir() },
    { env, stdio: "ignore", confined: "browser" },
  );
  if ("startError" in started) return;
  started.child.once("error", () => undefined).unref();
}

function browserCommand(url: string): Command {
  switch (process.platform) {
    case "darwin":
      return { command: "open", args: [url], env: {} };
    case "win32":
      return { command: "rundll32", args: ["url.dll,FileProtocolHandler", url], env: {} };
    default:
      return { command: "xdg-open", args: [url], env: {} };
  }
}
