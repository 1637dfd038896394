import { mkdir, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { once } from "node:events";
import { temporaryFolder } from "../../../base/node/temporary-folder.js";
import type { SelftestRow } from "../../../guard/node/sandbox/selftest.js";
import { fetchPackage } from "../../../extensions/packages/node/fetch-package.js";

/** Package requests whose name or version points to a host that an agent could choose, by ecosystem. */
const attempts = [
  { ecosystem: "go", name: "selftest.example/module", version: undefined },
  { ecosystem: "npm", name: "git+https://selftest.example/a.git", version: undefined },
  { ecosystem: "npm", name: "a", version: "https://selftest.example/a.tgz" },
  { ecosystem: "python", name: "a @ https://selftest.example/a.whl", version: undefined },
  { ecosystem: "python", name: "a", version: "@https://selftest.example/a.whl" },
  { ecosystem: "jvm", name: "a:b -DremoteRepositories=https://selftest.example", version: "1" },
];

export async function packageRows(): Promise<readonly SelftestRow[]> {
  await using temporary = await temporaryFolder("symposium-selftest-");
  const folder = temporary.path;
  let connections = 0;
  const proxy = createServer((socket) => {
    connections++;
    socket.on("error", () => undefined).destroy();
  }).listen(0, "127.0.0.1");
  await once(proxy, "listening");
  const address = proxy.address();
  const url = `http://127.0.0.1:${typeof address === "object" ? (address?.port ?? 0) : 0}`;
  const env = {
    ...process.env,
    ...{ HTTP_PROXY: url, HTTPS_PROXY: url, http_proxy: url, https_proxy: url, no_proxy: "", NO_PROXY: "" },
    ...{
      HOME: folder,
      XDG_CONFIG_HOME: folder,
      SYMPOSIUM_CONFIG_DIR: folder,
      GOPROXY: "direct",
      GOPATH: folder,
      GOMODCACHE: join(folder, "mod"),
    },
  };
  try {
    // Otherwise `go` leaves a process that still writes statistics while the folder is being deleted.
    await mkdir(join(folder, "go/telemetry"), { recursive: true });
    await writeFile(join(folder, "go/telemetry/mode"), "off\n");
    const rows: SelftestRow[] = [];
    for (const { ecosystem, name, version } of attempts) {
      const before = connections;
      const options = { watchdog: undefined, env, notFrom: [process.cwd()] };
      const wish = { name, version, project: undefined };
      const detail = await Promise.resolve()
        .then(() => fetchPackage(ecosystem, wish, options, AbortSignal.timeout(60_000)))
        .then(String, String);
      const what = `connect to a host by package_fetch of ${version === undefined ? name : `${name}, version ${version}`}`;
      rows.push({ row: "100", what, expected: "refused", result: connections > before ? "open" : "refused", detail });
    }
    return rows;
  } finally {
    proxy.close();
  }
}
