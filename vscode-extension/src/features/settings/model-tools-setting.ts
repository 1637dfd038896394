import * as l10n from "@vscode/l10n";
import { asObject, type Exposure } from "@symposium-dev/core";
import { describe, type Setting } from "./setting.js";

type Exposures = ReadonlyMap<string, Exposure>;

export const exposureDescriptions: Readonly<Record<Exposure, string>> = {
  agent: l10n.t("Its own tools and Symposium's extensions, not the editor's"),
  hybrid: l10n.t("Its own tools and the editor's: the most abilities"),
  raw: l10n.t("Only the editor's tools: it shows and confirms every step"),
};

const defaultExposure: Exposure = "hybrid";

/** `symposium.languageModelExposure`: `{ "MODEL ID": "agent" | "hybrid" | "raw", "default": … }`. */
export const modelToolsSetting: Setting<Exposures> = {
  contribution: {
    type: "object",
    default: {},
    scope: "machine",
    additionalProperties: {
      type: "string",
      enum: Object.keys(exposureDescriptions),
      markdownEnumDescriptions: Object.values(exposureDescriptions),
    },
    markdownDescription: l10n.t(
      'Which tools an agent may use when it serves as a language model. A key is a model ID, an agent\'s ID for all of its models, or `"default"` for the rest. `"agent"`: only the agent\'s tools. `"hybrid"` (the default): the agent\'s and the editor\'s. `"raw"`: only the editor\'s, so that the editor shows and confirms every step.',
    ),
  },
  read(value, report) {
    const entries = asObject(value);
    if (!entries) {
      report(l10n.t("must be an object, got {0}.", describe(value)), l10n.t("It is ignored."));
      return new Map();
    }
    const exposures = new Map<string, Exposure>();
    for (const [id, word] of Object.entries(entries)) {
      const exposure = exposureNames.find((name) => name === word);
      if (exposure) exposures.set(id, exposure);
      else
        report(
          l10n.t(': "{0}" must be "agent", "hybrid" or "raw", got {1}.', id, describe(word)),
          l10n.t("It is ignored."),
        );
    }
    return exposures;
  },
};

/** Returns the exposure set for a model, else for the model's agent (`AGENT/VALUE` belongs to `AGENT`), else the default. */
export function exposureOf(exposures: Exposures, modelId: string, agentId: string): Exposure {
  return exposures.get(modelId) ?? exposures.get(agentId) ?? exposures.get("default") ?? defaultExposure;
}

const exposureNames: readonly Exposure[] = ["agent", "hybrid", "raw"];
