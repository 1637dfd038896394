import * as l10n from "@vscode/l10n";
import { asObject, type Command, type Members, stringOf, stringsOf, stringMembersOf } from "@symposium-dev/core";

export interface SignInMethod {
  readonly id: string;
  readonly name: string;
  readonly description?: string;
  /**
   * `agent`: the agent signs in on `authenticate`. `terminal`: the user runs `command`. `variable`: the user sets an environment variable
   * (an older form of ACP that agents still send).
   */
  readonly kind: "agent" | "terminal" | "variable";
  readonly command?: Command;
}

/** Parses one of `authMethods`; `agent` is the agent's own command. Returns undefined without an id. */
export function parseSignInMethod(method: Members, agent: Command): SignInMethod | undefined {
  const id = stringOf(method["id"]);
  if (id === undefined) return undefined;
  const described = stringOf(method["description"]);
  const shared = {
    id,
    name: stringOf(method["name"]) ?? id,
    ...(described === undefined || described === "" ? {} : { description: described }),
  };
  const type = stringOf(method["type"]);
  if (type === "terminal") return { ...shared, kind: "terminal", command: withOwnArguments(agent, method) };
  const program = programOf(method);
  if (program) return { ...shared, kind: "terminal", command: program };
  if (type !== "env_var") return { ...shared, kind: "agent" };
  const description = [shared.description, variableHint(method)].filter((text) => text !== undefined).join(" ");
  return { ...shared, kind: "variable", description };
}

function withOwnArguments(agent: Command, method: Members): Command {
  return {
    ...agent,
    args: [...agent.args, ...stringsOf(method["args"])],
    env: { ...agent.env, ...stringMembersOf(method["env"]) },
  };
}

/** Zed's convention before ACP v1: a separate program in `_meta`. */
function programOf(method: Members): Command | undefined {
  const program = asObject(asObject(method["_meta"])?.["terminal-auth"]);
  const command = stringOf(program?.["command"]);
  if (program === undefined || command === undefined || command === "") return undefined;
  return { command, args: stringsOf(program["args"]), env: stringMembersOf(program["env"]) };
}

function variableHint(method: Members): string {
  const name = stringOf(method["varName"]);
  const listed = Array.isArray(method["vars"]) ? method["vars"] : [];
  const names = listed.flatMap((entry: unknown) => stringOf(asObject(entry)?.["name"]) ?? []);
  const all = [...(name === undefined ? [] : [name]), ...names].join(", ");
  const link = stringOf(method["link"]);
  const where = link === undefined ? "" : l10n.t(" Get it at {0}.", link);
  return (
    l10n.t(
      'Set {0} in the agent\'s "env" setting and restart the agent.',
      all === "" ? l10n.t("the agent's environment variable") : all,
    ) + where
  );
}
