import "../translations.js";
import { toGuardSchema } from "../../protocol/guard.js";
import { runPage } from "../controls/state-page.js";
import "./guard.css";
import { GuardApp } from "./guard-app.js";

runPage("guard", new GuardApp(), toGuardSchema);
