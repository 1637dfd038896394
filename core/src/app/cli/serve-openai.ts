import { quirksOf } from "../../agents/agent-quirks.js";
import { temporaryFolder } from "../../base/node/temporary-folder.js";
import { Scope } from "../../base/scope.js";
import { configFolder } from "../../settings/node/config-file.js";
import { endOnSignals } from "../../base/node/end-on-signals.js";
import {
  defaultOpenAiPort,
  openAiAddress,
  portOf,
  tokenFileIn,
  tokenOf,
  tokenVariable,
} from "../../models/openai/node/endpoint.js";
import { OpenAiServer } from "../../models/openai/node/openai-server.js";
import { ChatService } from "../../models/openai/chat-service.js";
import { defaultSettings } from "../../settings/settings-table.js";
import { readSoundConfig } from "../read-user-config.js";
import { openEnvironment } from "../environment.js";
import { existingFolder } from "./existing-folder.js";
import { commonOptions } from "./options.js";
import { productVersion } from "../../base/node/product-version.js";
import { servedModels, openAgents } from "./openai-models.js";
import { subcommand } from "./subcommand.js";

/**
 * `serve-openai`: serves the configured chain, or one for each `--agent`, as models of an OpenAI-compatible endpoint on
 * 127.0.0.1 until a signal arrives. Prints only the URL to stdout.
 */
export const serveOpenAi = subcommand({
  name: "serve-openai",
  about: "Serve agents as models of an OpenAI-compatible endpoint on 127.0.0.1. Stop it with Ctrl-C.",
  options: {
    agent: { value: "X", multiple: true, about: "serve this agent instead of the configured chain; repeatable" },
    port: { value: "N", about: `the port (default: ${defaultOpenAiPort})` },
    folder: { value: "DIR", about: "the agents' working folder (default: an empty one)" },
    permissions: {
      value: "POLICY",
      choices: ["deny", "allow-reads"],
      about: "how to answer permission requests: deny (default) or allow-reads",
    },
    ...commonOptions,
  },
  async run({ values }) {
    const port = portOf(values.port);
    const { permissions: policy = "deny" } = values;
    const folder = values.folder === undefined ? undefined : existingFolder(values.folder, "--folder");
    const models = servedModels(values.agent ?? []);
    const config = await readSoundConfig();
    const settings = config?.settings ?? defaultSettings;
    await using scope = new Scope();
    const environment = scope.add(await openEnvironment({ values, settings, agents: "any" }));
    const agents = await openAgents(models, config, environment);
    // Without a folder, agents run in an empty one, so that they can't read unrelated files.
    const cwd = folder ?? scope.add(await temporaryFolder("symposium-openai-")).path;
    const logger = environment.logger.child("openai");
    const service = scope.add(
      new ChatService({ agents, policy, cwd, version: productVersion, quirksOf, logger, now: () => Date.now() }),
    );
    const { token, origin } = await accessToken();
    const server = scope.add(new OpenAiServer({ service, token, logger }));
    const address = openAiAddress(await server.listen(port));
    process.stderr.write(`Models: ${models.map(({ id }) => id).join(", ")}. The token is in ${origin}.\n`);
    process.stdout.write(`${address}\n`);
    using _signals = endOnSignals({ end: () => scope[Symbol.asyncDispose](), kill: () => environment.kill() });
    return await new Promise<number>(() => undefined);
  },
});

async function accessToken(): Promise<{ readonly token: string; readonly origin: string }> {
  const given = process.env[tokenVariable];
  if (given !== undefined && given !== "") return { token: given, origin: `the variable ${tokenVariable}` };
  const file = tokenFileIn(configFolder());
  return { token: await tokenOf(file), origin: file };
}
