import assert from "node:assert/strict";
import { zedSettingsFiles } from "../../../../src/agents/zed/node/settings-file.js";

const home = "/home/robin";

function files(platform: string, env: Readonly<Record<string, string>> = {}, folder = home): readonly string[] {
  return zedSettingsFiles({ platform, env, home: folder }).map(({ kind, file }) => `${kind} ${file}`);
}

describe("the files of Zed's settings", () => {
  it("are below .config on Linux, and below the flatpak's folder", () => {
    assert.deepEqual(files("linux"), [
      "usual /home/robin/.config/zed/settings.json",
      "flatpak /home/robin/.var/app/dev.zed.Zed/config/zed/settings.json",
    ]);
  });

  it("follow XDG_CONFIG_HOME, and for the flatpak its own variable", () => {
    assert.deepEqual(files("linux", { XDG_CONFIG_HOME: "/etc/robin", FLATPAK_XDG_CONFIG_HOME: "/var/robin" }), [
      "usual /etc/robin/zed/settings.json",
      "flatpak /var/robin/zed/settings.json",
    ]);
  });

  it("take an empty variable for none", () => {
    assert.deepEqual(files("linux", { XDG_CONFIG_HOME: "", FLATPAK_XDG_CONFIG_HOME: "" }), files("linux"));
  });

  it("are below .config on macOS, whatever XDG_CONFIG_HOME says", () => {
    assert.deepEqual(files("darwin", { XDG_CONFIG_HOME: "/elsewhere" }), [
      "usual /home/robin/.config/zed/settings.json",
    ]);
  });

  it("are in the roaming profile on Windows", () => {
    assert.deepEqual(files("win32", { APPDATA: "D:\\Profile\\Roaming" }), [
      "usual D:\\Profile\\Roaming\\Zed\\settings.json",
    ]);
    assert.deepEqual(files("win32", {}, "C:\\Users\\robin"), [
      "usual C:\\Users\\robin\\AppData\\Roaming\\Zed\\settings.json",
    ]);
  });
});
