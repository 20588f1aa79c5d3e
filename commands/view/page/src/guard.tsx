// What goes wrong in one pane is told there, and ends no other.
import { effect } from "@preact/signals";
import { Component, ComponentChildren } from "preact";
import { urlOf } from "./state";
import { Do } from "./parts";

type Props = { name: string; class?: string; children: ComponentChildren };

/** A pane, or what is instead of it while it cannot be drawn: until the next change of the state. */
export class Guard extends Component<Props, { error: Error | null }> {
  state = { error: null };
  private stop = () => {};

  private again = () => {
    this.stop();
    this.setState({ error: null });
  };

  componentDidCatch(error: Error) {
    // For the console, and whoever listens to errors of the page.
    reportError(error);
    this.stop();
    this.setState({ error });
    const failed = urlOf();
    this.stop = effect(() => {
      if (urlOf() !== failed) queueMicrotask(this.again);
    });
  }

  componentWillUnmount() {
    this.stop();
  }

  render({ name, class: kind, children }: Props, { error }: { error: Error | null }) {
    if (!error) return children;
    return (
      <section class={"pane failed " + (kind ?? "")} aria-label={name}>
        <p class="notice warn" role="alert">
          {name} cannot be shown here: {error.message ?? String(error)}. It is tried again when you go on. <Do run={this.again}>try now</Do>
        </p>
      </section>
    );
  }
}
