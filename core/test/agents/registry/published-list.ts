/** The folder below which the list's archives are. */
const downloads = "https://downloads.example";

interface Extra {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cmd?: string;
}

export const allPlatforms = [
  "darwin-aarch64",
  "darwin-x86_64",
  "linux-aarch64",
  "linux-x86_64",
  "windows-aarch64",
  "windows-x86_64",
];

/** An entry as the registry publishes it, with the members that nothing depends on. */
function entry(id: string, version: string, distribution: object, others: object = {}): object {
  return {
    id,
    name: id.toUpperCase(),
    version,
    description: `The agent ${id}`,
    repository: `https://code.example/${id}`,
    authors: [`${id} authors`],
    license: "MIT",
    license_url: `https://code.example/${id}/LICENSE`,
    icon: `https://icons.example/${id}.svg`,
    distribution,
    ...others,
  };
}

function npx(id: string, name: string, version: string, extra: Extra = { args: ["--acp"] }): object {
  return entry(id, version, { npx: { package: `${name}@${version}`, ...extra } });
}

function binary(id: string, version: string, archive: (platform: string) => object, platforms = allPlatforms): object {
  return entry(id, version, { binary: Object.fromEntries(platforms.map((name) => [name, archive(name)])) });
}

/** An archive with one ending everywhere but on Windows, which has `.zip`, and its program in the root. */
function plainArchive(id: string, version: string, ending: string, extra: Extra = { args: ["acp"] }) {
  return (platform: string): object => {
    const isWindows = platform.startsWith("windows");
    return {
      archive: `${downloads}/${id}/${version}/${id}-${platform}${isWindows ? ".zip" : ending}`,
      cmd: isWindows ? `./${id}.exe` : `./${id}`,
      ...extra,
    };
  };
}

const withoutArmWindows = allPlatforms.filter((name) => name !== "windows-aarch64");
const checksum = "0123456789ABCDEF".repeat(4);

const npmAgents = [
  npx("claude-acp", "@agentclientprotocol/claude-agent-acp", "0.85.1", {}),
  npx("codex-acp", "@agentclientprotocol/codex-acp", "0.12.0", {}),
  npx("gemini", "@google/gemini-cli", "0.61.0", { args: ["--acp"] }),
  npx("github-copilot-cli", "@github/copilot", "1.0.71"),
  npx("qwen-code", "@qwen-code/qwen-code", "0.14.2", { args: ["--acp", "--experimental-skills"] }),
  npx("auggie", "@augmentcode/auggie", "0.30.0", { args: ["--acp"], env: { AUGMENT_DISABLE_AUTO_UPDATE: "1" } }),
  npx("cline", "cline", "3.82.0"),
  npx("codebuddy-code", "@tencent-ai/codebuddy-code", "2.50.0"),
  npx("deepagents", "deepagents-acp", "0.1.9", {}),
  npx("dirac", "dirac-cli", "0.3.1"),
  npx("droid", "droid", "0.99.0", {
    args: ["exec", "--output-format", "acp"],
    env: { DROID_DISABLE_AUTO_UPDATE: "true", FACTORY_DROID_AUTO_UPDATE_ENABLED: "false" },
  }),
  npx("glm-acp-agent", "glm-acp-agent", "1.1.3", {}),
  npx("kilo", "@kilocode/cli", "7.1.0", { args: ["acp"] }),
  npx("nova", "@compass-ai/nova", "1.0.80", { args: ["acp"] }),
  npx("pi-acp", "pi-acp", "0.0.25", {}),
  npx("qoder", "@qoder-ai/qodercli", "0.3.2"),
  npx("sigit", "sigit", "1.2.0", { args: ["acp"], cmd: "sigit-acp" }),
  npx("autohand", "@autohandai/autohand-acp", "0.2.1", {}),
  npx("opencode", "@opencode/cli", "2.0.23", { args: ["acp"] }),
  entry("dimcode", "0.1.0", { npx: { package: "dimcode@0.1.0", args: ["acp"] } }, { license_url: undefined }),
  entry(
    "antigravity",
    "1.0.0",
    { npx: { package: "antigravity-acp@1.0.0" } },
    {
      preview: { version: "1.1.0-beta.2", distribution: { npx: { package: "antigravity-acp@1.1.0-beta.2" } } },
    },
  ),
];

const pythonAgents = [
  entry("fast-agent", "0.6.0", {
    uvx: { package: "fast-agent-acp==0.6.0", args: ["-x"], env: { FAST_AGENT_MODEL: "sonnet" } },
  }),
  entry("minion-code", "0.1.44", { uvx: { package: "minion-code@0.1.44", args: ["acp"] } }),
  entry("crow-cli", "0.1.14", { uvx: { package: "crow-cli", cmd: "crow-acp" } }),
];

const binaryAgents = [
  binary(
    "goose",
    "1.30.0",
    (platform) =>
      platform.startsWith("windows")
        ? {
            archive: `${downloads}/goose/goose.zip`,
            cmd: ".\\goose-package\\goose.exe",
            args: ["acp"],
            sha256: checksum,
          }
        : { archive: `${downloads}/goose/${platform}.tar.bz2`, cmd: "./goose", args: ["acp"], sha256: checksum },
    withoutArmWindows,
  ),
  binary("cursor", "2026.10.01", (platform) => ({
    archive: `${downloads}/cursor/2026.10.01-abc123/${platform}.tar.gz`,
    cmd: platform.startsWith("windows") ? "./dist-package\\cursor-agent.cmd" : "./dist-package/cursor-agent",
    args: ["acp"],
  })),
  binary("junie", "2698.3.0", (platform) => ({
    archive: `${downloads}/junie/2698.3/${platform}.zip`,
    cmd: platform.startsWith("darwin")
      ? "./Applications/junie.app/Contents/MacOS/junie"
      : platform.startsWith("windows")
        ? "./junie/junie.bat"
        : "./junie-app/bin/junie",
    args: ["--acp=true"],
  })),
  binary("acp-bridge", "0.4.1", (platform) => ({
    archive: `${downloads}/acp-bridge/acp-bridge-${platform}${platform.startsWith("windows") ? ".exe" : ""}`,
    cmd: `acp-bridge-${platform}${platform.startsWith("windows") ? ".exe" : ""}`,
  })),
  binary(
    "vtcode",
    "0.99.1",
    (platform) => ({
      archive: `${downloads}/vtcode/${platform}.${platform.startsWith("windows") ? "zip" : "tar.gz"}`,
      cmd: platform.startsWith("windows") ? "vtcode.exe" : "./vtcode",
      args: ["acp"],
      env: { VT_ACP_ENABLED: "1", VT_ACP_ZED_ENABLED: "1" },
    }),
    ["darwin-aarch64", "darwin-x86_64", "linux-x86_64"],
  ),
  binary(
    "code-assistant",
    "0.4.0",
    (platform) => ({
      archive: `${downloads}/code-assistant/${platform}.tar.gz`,
      cmd: "./code-assistant",
      args: [platform.startsWith("darwin") ? "acp" : "--acp"],
    }),
    withoutArmWindows,
  ),
  binary("mistral-vibe", "2.20.0", (platform) => ({
    ...plainArchive("vibe-acp", "2.20.0", ".zip", {})(platform),
    sha256: checksum.toLowerCase(),
  })),
  binary("kimi", "1.47", plainArchive("kimi", "1.47", ".tgz"), withoutArmWindows),
  binary("amp-acp", "0.7.0", plainArchive("amp-acp", "0.7.0", ".tar.gz", {}), withoutArmWindows),
  binary("corust-agent", "0.5.0", plainArchive("corust", "0.5.0", ".tbz2", {})),
  binary("devin", "2026.11.2.1", plainArchive("devin", "2026.11.2.1", ".tar.gz")),
  binary("grok-build", "0.2.0", plainArchive("grok", "0.2.0", ".tar.gz"), withoutArmWindows),
  binary("harn", "0.9.0", plainArchive("harn", "0.9.0", ".tar.gz", { args: ["serve", "acp"] })),
  binary("poolside", "1.0.0", plainArchive("pool", "1.0.0", ".tar.gz")),
  entry("stakpak", "0.3.80", {
    binary: { "linux-x86_64": plainArchive("stakpak", "0.3.80", ".tar.gz")("linux-x86_64") },
    npx: { package: "stakpak@0.3.80", args: ["acp"] },
  }),
];

/** A list with as many agents as the registry has, and every shape and peculiarity that occurs in it. */
export function publishedList(): { readonly version: string; readonly agents: readonly object[] } {
  return { version: "1.0.0", agents: [...npmAgents, ...pythonAgents, ...binaryAgents] };
}
