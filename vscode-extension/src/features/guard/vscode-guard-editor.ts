import * as l10n from "@vscode/l10n";
import { basename, join } from "node:path";
import { configFolder } from "@symposium-dev/core/node";
import { window } from "vscode";
import { openFile, openOrMake } from "../pages/open-file.js";
import type { GuardEditor } from "./guard-page.js";

export function vscodeGuardEditor(folder: () => string): GuardEditor {
  return {
    get folder() {
      return folder();
    },
    openFile,
    openRules: (file = join(configFolder(), "guard.jsonc")) => openOrMake(file, '{\n  "rules": []\n}\n'),
    askForHost: async (host) => {
      const [here, everywhere] = [l10n.t("In {0}", basename(folder())), l10n.t("Everywhere")];
      const detail = l10n.t(
        "A rule in your guard.jsonc will allow this host for every agent and in every editor. Agents can send your files to any host they can reach.",
      );
      const answer = await window.showWarningMessage(
        l10n.t("Open {0}?", host),
        { modal: true, detail },
        here,
        everywhere,
      );
      return answer === here ? "folder" : answer === everywhere ? "everywhere" : undefined;
    },
    say: (message) => void window.showWarningMessage(message),
  };
}
