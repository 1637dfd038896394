import "../translations.js";
import { toSettingsViewSchema } from "../../protocol/settings.js";
import { runPage } from "../controls/state-page.js";
import "./settings.css";
import { SettingsApp } from "./settings-app.js";

runPage("settings", new SettingsApp(), toSettingsViewSchema);
