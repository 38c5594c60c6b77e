import { render } from "preact";

import "../common/style.css";
import "../common/dense.css";
import "./console.css";
import { Console } from "./app.js";

const app = document.getElementById("app");
if (app !== null) render(<Console />, app);
