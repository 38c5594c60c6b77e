/** Every shared component, for those who work on pages. `./dev web` serves it at /gallery. */

import { render, type ComponentChildren, type VNode } from "preact";
import { useState } from "preact/hooks";

import { bytes, count, duration, percent, rate, shortCount } from "../common/format.js";
import "../common/style.css";
import {
  Badge,
  Button,
  Confirm,
  Dialog,
  FilterBar,
  Frame,
  LinkButton,
  LoadState,
  Notice,
  Progress,
  Select,
  Spark,
  Table,
  TextArea,
  TextField,
  Time,
  toast,
} from "../common/ui/index.js";

/* The texts here are samples, for developers alone; they are in no file of texts. */

const AT = "2026-11-28T15:38:23.000000Z";

function Part(props: { title: string; children: ComponentChildren }): VNode {
  return (
    <section class="panel">
      <h2>{props.title}</h2>
      {props.children}
    </section>
  );
}

function Dialogs(): VNode {
  const [open, setOpen] = useState<"dialog" | "confirm" | undefined>(undefined);
  const close = (): void => setOpen(undefined);
  return (
    <div class="row">
      <Button onClick={() => setOpen("dialog")}>Open a dialog</Button>
      <Button onClick={() => setOpen("confirm")}>Ask first</Button>
      <Button onClick={() => toast("The queue is paused")}>Show a toast</Button>
      {open === "dialog" && (
        <Dialog title="A dialog" onClose={close}>
          <p>Escape closes it, and the focus goes back.</p>
        </Dialog>
      )}
      {open === "confirm" && (
        <Confirm title="Cancel 12 tasks?" action="Cancel them" danger onConfirm={close} onClose={close}>
          <p>They are not done any more.</p>
        </Confirm>
      )}
    </div>
  );
}

function Fields(): VNode {
  const [name, setName] = useState("mail");
  const [state, setState] = useState("");
  return (
    <div class="stack">
      <TextField label="Name" hint="1 to 64 letters" value={name} onValue={setName} />
      <TextField label="Delay" value="-1" problem="must not be negative" onValue={() => undefined} />
      <TextArea label="Body" value={'{"to": "ana"}'} onValue={() => undefined} />
      <Select
        label="State"
        value={state}
        options={[
          ["", "All"],
          ["QUEUED", "Queued"],
        ]}
        onValue={setState}
      />
    </div>
  );
}

function Gallery(): VNode {
  const nothing = (): void => undefined;
  return (
    <Frame
      title="Components"
      name="Components"
      home="#/"
      links={[
        { href: "#/", text: "Present", current: true },
        { href: "#/other", text: "Other", current: false },
      ]}
    >
      <h1>Components</h1>
      <Part title="Buttons">
        <div class="row">
          <Button>Plain</Button>
          <Button kind="main">Main</Button>
          <Button kind="danger">Danger</Button>
          <Button kind="quiet">Quiet</Button>
          <Button busy>Busy</Button>
          <Button disabled>Disabled</Button>
          <LinkButton href="#/other">Link</LinkButton>
        </div>
      </Part>
      <Part title="Badges">
        <div class="row">
          <Badge>neutral</Badge>
          <Badge tone="good">good</Badge>
          <Badge tone="busy">busy</Badge>
          <Badge tone="warning">warning</Badge>
          <Badge tone="bad">bad</Badge>
        </div>
      </Part>
      <Part title="Fields">
        <Fields />
      </Part>
      <Part title="Filters">
        <FilterBar
          filters={[
            { name: "text", label: "Text in the error" },
            { name: "state", label: "State", options: [["", "All"], ["DEAD", "Dead"]] },
          ]}
        />
      </Part>
      <Part title="Table">
        <Table
          caption="Queues"
          columns={[
            { key: "name", title: "Queue", cell: ({ name }) => name },
            { key: "ready", title: "Ready", numeric: true, cell: ({ ready }) => count(ready) },
            {
              key: "rate",
              title: "Done",
              cell: ({ values }) => <Spark label="Done per minute, 7 to 12" values={values} />,
            },
          ]}
          rows={[
            { name: "mail", ready: 1234567, values: [7, 9, 8, 12, 11] },
            { name: "print", ready: 0, values: [] },
          ]}
          rowKey={({ name }) => name}
        />
        <Table caption="Nothing" columns={[]} rows={[]} rowKey={() => 0} />
      </Part>
      <Part title="Times and numbers">
        <ul>
          <li>
            <Time at={AT} /> · <Time at={AT} relative /> · <Time at={null} />
          </li>
          <li>
            {duration(0.35)} · {duration(125)} · {duration(273600)} · {rate(12.5)} · {rate(0.01)}
          </li>
          <li>
            {shortCount(1234567)} · {percent(0.125)} · {bytes(3565158)}
          </li>
        </ul>
        <Progress label="Loaded" done={250} all={1000} />
      </Part>
      <Part title="States">
        <Notice error={new Error("the queue is not there")} />
        <LoadState loaded={{ value: undefined, error: undefined, loading: true, reload: nothing }}>
          {() => null}
        </LoadState>
        <LoadState
          loaded={{ value: undefined, error: new Error("no answer"), loading: false, reload: nothing }}
        >
          {() => null}
        </LoadState>
      </Part>
      <Part title="Dialogs and toasts">
        <Dialogs />
      </Part>
    </Frame>
  );
}

const app = document.getElementById("app");
if (app !== null) render(<Gallery />, app);
