/** The components that all pages share. */

export { Badge, type Tone } from "./badge.js";
export { Button, LinkButton } from "./button.js";
export { Confirm, Dialog } from "./dialog.js";
export { Field, Select, TextArea, TextField } from "./field.js";
export { FilterBar, type Filter } from "./filter_bar.js";
export { Frame, type FrameLink } from "./frame.js";
export { Notice, LoadState } from "./notice.js";
export { Progress } from "./progress.js";
export { SignInGate } from "./sign_in.js";
export { Spark } from "./spark.js";
export { Table, type Column } from "./table.js";
export { Time } from "./time.js";
export { Toasts, toast } from "./toast.js";
