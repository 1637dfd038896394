import { SymposiumError } from "../base/symposium-error.js";

type Verb = (words: readonly string[]) => Promise<number>;

const verbs: Readonly<Record<string, () => Promise<Verb>>> = {
  install: async () => (await import("./zed/install.js")).install,
  uninstall: async () => (await import("./zed/uninstall.js")).uninstall,
  doctor: async () => (await import("./zed/doctor.js")).doctor,
  run: async () => (await import("./zed/run.js")).run,
};

/** `zed install | uninstall | doctor`: this product as an agent of the user's Zed. `zed run` is what Zed starts. */
export async function zed(words: readonly string[]): Promise<number> {
  const [name = "", ...rest] = words;
  const load = Object.hasOwn(verbs, name) ? verbs[name] : undefined;
  if (load) return (await load())(rest);
  throw new SymposiumError(
    "invalid-arguments",
    `${["zed", ...words].join(" ")} is not understood.`,
    "symposium-acp-agent zed install | uninstall | doctor",
  );
}
