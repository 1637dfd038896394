import { hostAddress } from "../../../sessions/host/node/host-address.js";
import { runHost } from "../../../sessions/host/node/host-process.js";
import { defaultSettings } from "../../../settings/settings-table.js";
import { readSoundConfig } from "../../read-user-config.js";
import { messageOf } from "../../../base/symposium-error.js";
import { RequestFailure } from "../../../conductor/client/agent-errors.js";
import type { HostDisk } from "../../../sessions/host/live-session.js";
import { Outcome } from "../../../base/rpc/message.js";
import { RpcError } from "../../../base/rpc/rpc-error.js";
import { FileAccess } from "../terminal-chat/file-access.js";

const minuteMs = 60_000;

/** Runs the host. Prints `ready` when a host accepts connections: this host, or another host that started faster. */
export async function serveHost(): Promise<number> {
  const settings = (await readSoundConfig("go-on"))?.settings ?? defaultSettings;
  const options = {
    address: await hostAddress(),
    disk: hostDisk,
    maxLineBytes: settings.maxMessageBytes,
    idleMs: settings.hostIdleMinutes * minuteMs,
  };
  // The process that started the host may have exited.
  process.stdout.on("error", () => undefined);
  process.stderr.on("error", () => undefined);
  await runHost(options, () => process.stdout.write("ready\n"));
  return 0;
}

/** File access for a session's folder. The conductor has already checked each request against the user's rules. */
const hostDisk: HostDisk = {
  async answer({ method, params }, folder) {
    const files = new FileAccess(folder, { allowsFile: () => Promise.resolve(true) });
    const { signal } = new AbortController();
    const given = params?.object ?? {};
    try {
      if (method === "fs/read_text_file") return Outcome.of(await files.read(given, signal));
      await files.write(given, signal);
      return Outcome.of({});
    } catch (fault) {
      return Outcome.error(fault instanceof RequestFailure ? fault.error : RpcError.internal(messageOf(fault)));
    }
  },
};
