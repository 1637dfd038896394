import { X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createSecureContext } from "node:tls";
import { Logger } from "../../../base/logger.js";
import { endOnSignals } from "../../../base/node/end-on-signals.js";
import { selfCommand } from "../../../base/node/self-command.js";
import { userToken } from "../../../base/node/user-token.js";
import { invalidArguments, messageOf } from "../../../base/symposium-error.js";
import { hostAddress } from "../../../sessions/host/node/host-address.js";
import { hostedProcess } from "../../../sessions/host/node/hosted-process.js";
import {
  endpointUrl,
  type ListenAddress,
  parseListenAddress,
} from "../../../sessions/host/node/network/listen-address.js";
import { NetworkListener } from "../../../sessions/host/node/network/network-listener.js";
import { defaultSettings } from "../../../settings/settings-table.js";
import { readSoundConfig } from "../../read-user-config.js";
import { subcommand } from "../subcommand.js";

/** Maximum size of a message from the network, if config.jsonc doesn't set a smaller one. */
const maxNetworkMessageBytes = 64 * 1024 * 1024;

export const listen = subcommand({
  name: "host --listen",
  about: "Serve the host's sessions over HTTP and WebSocket at /acp, until Ctrl-C. Prints the address.",
  arguments: { "<ADDRESS>": "an IP address and port, such as 127.0.0.1:8780" },
  options: {
    cert: { value: "FILE", about: "the TLS certificate in PEM format; required for other addresses than loopback" },
    key: { value: "FILE", about: "the certificate's private key" },
    origin: { value: "ORIGIN", multiple: true, about: "let web pages of this origin connect; repeatable" },
  },
  async run({ positionals: [text = ""], values: { cert, key, origin = [] } }) {
    const address = parseListenAddress(text);
    const tls = await tlsOf(cert, key);
    if (!tls && !address.isLoopback) {
      throw invalidArguments(
        `Other machines can reach ${text}, so the connection needs TLS.`,
        "Add --cert and --key, or listen on 127.0.0.1 and connect through `ssh -L`.",
      );
    }
    const { folder } = await hostAddress();
    const tokenFile = join(folder, "network-token");
    const settings = (await readSoundConfig("go-on"))?.settings ?? defaultSettings;
    const { maxMessageBytes } = settings;
    const start = hostedProcess({
      self: selfCommand(),
      env: process.env,
      maxLineBytes: maxMessageBytes,
      remote: {},
    });
    const listener = new NetworkListener({
      admission: {
        token: await userToken(tokenFile),
        origins: new Set(origin.map(originOf)),
        certificate: tls?.certificate,
      },
      connect: (handlers) => start("network client", { command: "", args: ["run"], env: {} }, handlers),
      tls,
      maxMessageBytes: Math.min(maxMessageBytes, maxNetworkMessageBytes),
      logger: Logger.silent,
    });
    const port = await listening(listener, address, text);
    process.stderr.write(`The token is in ${tokenFile}.\n`);
    process.stdout.write(`${endpointUrl({ ...address, port }, tls !== undefined)}\n`);
    using _signals = endOnSignals({ end: () => listener[Symbol.asyncDispose](), kill: () => undefined });
    return await new Promise<number>(() => undefined);
  },
});

async function listening(listener: NetworkListener, address: ListenAddress, text: string): Promise<number> {
  try {
    return await listener.listen(address);
  } catch (failure) {
    throw invalidArguments(`Can't listen on ${text}: ${messageOf(failure)}.`, "Choose another address or port.");
  }
}

async function tlsOf(
  cert: string | undefined,
  key: string | undefined,
): Promise<{ readonly cert: string; readonly key: string; readonly certificate: X509Certificate } | undefined> {
  if (cert === undefined && key === undefined) return undefined;
  if (cert === undefined || key === undefined) {
    throw invalidArguments("--cert and --key need each other.", "Give both files.");
  }
  const files = { cert: await pem(cert, "--cert"), key: await pem(key, "--key") };
  try {
    createSecureContext(files);
    return { ...files, certificate: new X509Certificate(files.cert) };
  } catch (failure) {
    throw invalidArguments(
      `${cert} and ${key} aren't a certificate and its key: ${messageOf(failure)}.`,
      "Give both in PEM format.",
    );
  }
}

function originOf(text: string): string {
  const origin = URL.canParse(text) ? new URL(text).origin : "null";
  if (origin !== "null" && text.replace(/\/$/, "").toLowerCase() === origin) return origin;
  throw invalidArguments(
    `--origin ${text} isn't an origin.`,
    "Give the scheme, host and port, such as https://app.example.",
  );
}

async function pem(file: string, option: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (failure) {
    throw invalidArguments(`${option}: ${messageOf(failure)}.`, "Give a file in PEM format.");
  }
}
