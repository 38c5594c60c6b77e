import { render } from "preact";

import "../common/style.css";
import "../common/dense.css";
import "../common/unit/unit.css";
import "../common/unit/marks.css";
import "./workbench.css";
import { Workbench } from "./app.js";

const app = document.getElementById("app");
if (app !== null) render(<Workbench />, app);
