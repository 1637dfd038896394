import { hostAddress } from "../../../sessions/host/node/host-address.js";
import { runHost } from "../../../sessions/host/node/host-process.js";
import { defaultSettings } from "../../../settings/settings-table.js";
import { readSoundConfig } from "../../read-user-config.js";
import { hostDisk } from "./host-disk.js";

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
