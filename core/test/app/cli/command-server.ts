import { readFileSync } from "node:fs";
import { messageOf } from "../../../src/base/symposium-error.js";
import type { CommandOutcome, CommandRun } from "./run-command.js";

/** Runs subcommands one after another, each with the environment and the folder of its request: a process that has its modules already. */
// As the bundle has it.
Object.assign(globalThis, {
  SYMPOSIUM_RECOMMENDATIONS: readFileSync(new URL("../../../../recommendations.toml", import.meta.url), "utf8"),
});

process.on("message", (request: CommandRun) => void answer(request));

async function answer({ name, words, cwd, env }: CommandRun): Promise<void> {
  for (const variable of Object.keys(process.env))
    if (!(variable in env)) Reflect.deleteProperty(process.env, variable);
  Object.assign(process.env, env);
  process.chdir(cwd);
  const output = { stdout: "", stderr: "" };
  const restore = [capture("stdout", output), capture("stderr", output)];
  const code = await runSubcommand(name, words).catch((failure: unknown) => {
    process.stderr.write(`${messageOf(failure)}\n`);
    return 2;
  });
  for (const undo of restore) undo();
  process.chdir("/");
  process.send?.({ code, ...output } satisfies CommandOutcome);
}

async function runSubcommand(name: CommandRun["name"], words: readonly string[]): Promise<number> {
  const module = (await import(`../../../src/app/cli/${name}.js`)) as Readonly<
    Record<string, (words: readonly string[]) => Promise<number>>
  >;
  const run = module[name];
  if (run === undefined) throw new Error(`There is no subcommand "${name}".`);
  return run(words);
}

function capture(stream: "stdout" | "stderr", output: Record<"stdout" | "stderr", string>): () => void {
  const target = process[stream];
  const write = target.write.bind(target);
  target.write = (text: string | Uint8Array, ...rest: readonly unknown[]): boolean => {
    output[stream] += typeof text === "string" ? text : Buffer.from(text).toString();
    const done = rest.at(-1);
    if (typeof done === "function") process.nextTick(done);
    return true;
  };
  return () => {
    target.write = write;
  };
}
