import { render } from "preact";

import "../common/style.css";
import "../console/console.css";
import "../label/label.css";
import "../label/marks.css";
import "./workbench.css";
import { Workbench } from "./app.js";

const app = document.getElementById("app");
if (app !== null) render(<Workbench />, app);
