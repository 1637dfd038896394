import { SymposiumError } from "../../../base/symposium-error.js";
import { basename, isAbsolute, resolve, sep } from "node:path";
import { parseEnv } from "node:util";
import type { ServerInput, ServerLaunch, ServerOAuth, UserServer } from "../../../settings/user-server.js";
import type { Expand, ExpandedLaunch, MissingValue, ServerSession } from "../expanded-launch.js";
import { expandLaunch, type PlaceVariable, type Variable, variablesOf } from "../variables.js";
import type { SecretFile } from "./secrets/secret-file.js";
import { loadUntrustedText } from "../../../base/node/read-untrusted-file.js";

interface ExpandServices {
  readonly secrets: SecretFile;
  readonly env: NodeJS.ProcessEnv;
  readonly home: string;
  /** Called with every secret put into a launch, to redact it from traces. */
  readonly learn?: (value: string) => void;
  /** Called with a server's unanswered inputs. The server is omitted until the user answers them. */
  readonly missesInputs?: (server: UserServer, inputs: readonly ServerInput[], session: ServerSession) => void;
}

export function inputName(id: string): string {
  return `input:${id}`;
}

export function secretName(name: string): string {
  return `secret:${name}`;
}

/** Expands variables with this process's environment, the user's secrets and answers. */
export function expandWith(services: ExpandServices): Expand {
  return async (server, session) => {
    const values = await valuesOf(variablesOf(server.launch), session, services);
    const expanded = expandLaunch(server.launch, (variable) => values.get(keyOf(variable)));
    if ("value" in expanded) return finish(expanded.value, session);
    const inputs = missingInputs(server, expanded.missing);
    if (inputs.length > 0) services.missesInputs?.(server, inputs, session);
    return { missing: expanded.missing.join(", ") };
  };
}

/** Expands the values of a server's `oauth`. Rejects with `sign-in-failed` if a value is missing. */
export async function expandOAuth(
  { name, oauth }: UserServer,
  session: ServerSession,
  services: ExpandServices,
): Promise<ServerOAuth | undefined> {
  if (oauth?.clientId === undefined) return oauth;
  const { clientId, clientSecret = "" } = oauth;
  // The same rules apply to OAuth values as to headers.
  const launch: ServerLaunch = { type: "http", url: "", headers: { clientId, clientSecret } };
  const values = await valuesOf(variablesOf(launch), session, services);
  const expanded = expandLaunch(launch, (variable) => values.get(keyOf(variable)));
  if ("value" in expanded && expanded.value.type !== "stdio") {
    const { clientId: id, clientSecret: secret } = expanded.value.headers;
    return { ...oauth, ...(id !== undefined && { clientId: id }), ...(secret && { clientSecret: secret }) };
  }
  const missing = "missing" in expanded ? expanded.missing.join(", ") : clientId;
  throw new SymposiumError(
    "sign-in-failed",
    `Can't sign in to "${name}": ${missing} of its \`oauth\` has no value.`,
    "Set the variable, or store a secret with `symposium-acp-agent mcp secret set NAME`.",
  );
}

/** Returns the inputs among the missing values. */
export function missingInputs(server: UserServer, missing: readonly string[]): readonly ServerInput[] {
  return missing.flatMap((text) => {
    const [, id] = /^\$\{input:(.+)\}$/.exec(text) ?? [];
    return id === undefined ? [] : [server.inputs?.find((input) => input.id === id) ?? { id, isSecret: false }];
  });
}

async function valuesOf(
  variables: readonly Variable[],
  session: ServerSession,
  { secrets, env, home, learn }: ExpandServices,
): Promise<ReadonlyMap<string, string>> {
  const places: Readonly<Record<PlaceVariable, string>> = {
    workspaceFolder: session.cwd,
    workspaceFolderBasename: basename(session.cwd),
    userHome: home,
    pathSeparator: sep,
  };
  const valueOf = async (variable: Variable): Promise<string | undefined> => {
    switch (variable.kind) {
      case "env":
        return env[variable.name];
      case "secret":
        return secrets.get(secretName(variable.name));
      case "input":
        return secrets.get(inputName(variable.name));
      case "place":
        return places[variable.name];
      case "unknown":
        return undefined;
    }
  };
  const values = new Map<string, string>();
  for (const variable of variables) {
    const value = await valueOf(variable);
    if (value === undefined) continue;
    values.set(keyOf(variable), value);
    if (variable.kind === "secret" || variable.kind === "input") learn?.(value);
  }
  return values;
}

function keyOf(variable: Variable): string {
  return variable.kind === "unknown" ? "" : `${variable.kind}:${variable.name}`;
}

async function finish(launch: UserServer["launch"], session: ServerSession): Promise<ExpandedLaunch | MissingValue> {
  if (launch.type !== "stdio") {
    const { type, url, headers } = launch;
    // Headers are checked here, since an error from `fetch` would contain the header's value.
    const bad = Object.entries(headers).find(([, value]) => /[^\t\x20-\x7e\x80-\xff]/.test(value.trim()));
    if (bad) return { missing: `a single-line header ${JSON.stringify(bad[0])}` };
    // The message doesn't repeat the URL, since parts of the URL may be secret.
    return /^https?:/i.test(url) && URL.canParse(url)
      ? { type, url, headers }
      : { missing: "an http or https address" };
  }
  const { type, command, args, env } = launch;
  const cwd = resolve(session.cwd, launch.cwd ?? ".");
  if (launch.envFile === undefined) return { type, command, args, env, cwd };
  const file = isAbsolute(launch.envFile) ? launch.envFile : resolve(cwd, launch.envFile);
  try {
    const more = parseEnv(await loadUntrustedText(file));
    return { type, command, args, env: { ...(more as Record<string, string>), ...env }, cwd };
  } catch {
    return { missing: `the file ${file}` };
  }
}
