import type { ComponentChildren, JSX, VNode } from "preact";

type ButtonKind = "plain" | "main" | "danger" | "quiet";

interface ButtonProps {
  kind?: ButtonKind;
  /** Runs meanwhile: the button stays focusable and does nothing. */
  busy?: boolean;
  children: ComponentChildren;
}

export function Button({
  kind = "plain",
  busy = false,
  children,
  onClick,
  ...rest
}: ButtonProps & JSX.IntrinsicElements["button"]): VNode {
  return (
    <button
      type="button"
      {...rest}
      class={`button button-${kind}`}
      aria-disabled={busy || undefined}
      aria-busy={busy || undefined}
      onClick={(event) => {
        if (busy) event.preventDefault();
        else onClick?.(event);
      }}
    >
      {children}
    </button>
  );
}

export function LinkButton(props: { href: string; children: ComponentChildren }): VNode {
  return (
    <a class="button button-plain" href={props.href}>
      {props.children}
    </a>
  );
}
