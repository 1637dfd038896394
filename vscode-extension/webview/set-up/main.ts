import "../translations.js";
import { toSetUpSchema } from "../../protocol/set-up.js";
import { runPage } from "../controls/state-page.js";
import "./set-up.css";
import { SetUpApp } from "./set-up-app.js";

runPage("set-up", new SetUpApp(), toSetUpSchema);
