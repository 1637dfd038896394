import { quirksOf } from "../../agents/agent-quirks.js";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { temporaryFolder } from "../../base/node/temporary-folder.js";
import { defaultSettings } from "../../settings/settings-table.js";
import { LanguageModelEndpoint } from "../../models/vscode/agents-as-models.js";
import { LanguageModelService } from "../../models/vscode/language-model-service.js";
import { openEnvironment } from "../environment.js";
import { commonOptions, proxyOption } from "./options.js";
import { productVersion } from "../../base/node/product-version.js";
import { serveChain } from "../serve-chain.js";
import { subcommand } from "./subcommand.js";
import { chainOpener } from "./chain-opener.js";

/**
 * `vscodelm [--proxy X]…`: offers agents as language models over stdio. Agents start on demand behind the proxies; everything ends with the
 * input.
 */
export const vscodelm = subcommand({
  name: "vscodelm",
  about: "Serve agents as language models over stdio. The VS Code extension starts this.",
  options: {
    proxy: { ...proxyOption.proxy, about: "a proxy for every agent, as for run-with; repeatable" },
    ...commonOptions,
  },
  async run({ values }) {
    // The folder contains files that agents read, and an empty folder for sessions without one, so that they can't read unrelated files.
    await using temporary = await temporaryFolder("symposium-vscodelm-");
    const folder = temporary.path;
    const emptyFolder = join(folder, "empty");
    await mkdir(emptyFolder);
    const environment = await openEnvironment({ values, settings: defaultSettings, agents: "any" });
    const logger = environment.logger.child("vscodelm");
    const { opener, ended } = chainOpener(values.proxy ?? [], environment, folder);
    return await serveChain(environment, (client) => {
      const service = new LanguageModelService({
        opener,
        emptyFolder,
        version: productVersion,
        quirksOf,
        logger,
        now: () => Date.now(),
      });
      const endpoint = new LanguageModelEndpoint(service, client);
      return {
        fromClient: endpoint.fromClient,
        [Symbol.asyncDispose]: async () => {
          // Close both in parallel, because requests to chains that are still starting are answered only when those chains end.
          await Promise.all([ended(), endpoint[Symbol.asyncDispose]()]);
        },
      };
    });
  },
});
