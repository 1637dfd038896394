import { conductorWords, shellWords, throughConductor } from "../support/conductor-command.js";
import { RawClient } from "../support/raw-client.js";
import { pathWith } from "../support/repository.js";
import { createRunFolder } from "../support/run-folder.js";
import { agentWords, dialects, proxyText } from "../support/scripted-programs.js";

/** A command that requirements are checked against. */
export interface Target {
  readonly name: string;
  readonly words: readonly string[];
}

/** A conductor in proxy mode, in shell words: a proxy that is a chain itself. */
export function nested(...proxies: readonly string[]): string {
  const chain = proxies.flatMap((text) => ["--proxy", text]);
  return shellWords([...conductorWords, "run-with", ...chain]);
}

/** The agent behind a chain. */
export function conducted(name: string, proxies: readonly string[], agent = agentWords()): Target {
  return { name, words: throughConductor(agent, proxies) };
}

export const directTarget: Target = { name: "the agent directly", words: agentWords() };

/** Chains between the client and the agent. */
export const targets: readonly Target[] = [
  conducted("the conductor", []),
  ...dialects.map((dialect) => conducted(`1 ${dialect} proxy`, [proxyText(dialect)])),
  ...dialects.map((dialect) =>
    conducted(
      `3 ${dialect} proxies`,
      Array.from({ length: 3 }, () => proxyText(dialect)),
    ),
  ),
  conducted("a legacy, a current and a mid proxy", [proxyText("legacy"), proxyText("current"), proxyText("mid")]),
  conducted("a conductor as proxy", [nested(proxyText("current"))]),
  conducted("a conductor without proxies in a conductor as proxy, beside a legacy one", [
    nested(nested(), proxyText("mid")),
    proxyText("legacy"),
  ]),
];

/** Starts a target's command in a folder of its own; the stack ends it and removes the folder. */
export async function startTarget({ words }: Target, stack: AsyncDisposableStack): Promise<RawClient> {
  const folder = stack.use(await createRunFolder("conformance"));
  return stack.use(new RawClient({ words, env: { ...folder.env, PATH: pathWith() }, cwd: folder.workspace }));
}
