import { useEffect, useRef, useState } from "preact/hooks";
import { linePath, plotScale } from "../../lib/report/plot-geometry.ts";

export type PlotSeries = {
  readonly name: string;
  readonly kind: "bar" | "line";
  /** Selects colour and dash of the style sheet. */
  readonly look: string;
  /** Null if nothing is known: a gap, not a zero. */
  readonly values: ReadonlyArray<number | null>;
};

type PlotProps = {
  readonly title: string;
  readonly labels: readonly string[];
  /** Longer names of the labels, for the text beside the pointer. */
  readonly names: readonly string[];
  readonly series: readonly PlotSeries[];
  readonly format: (value: number | null) => string;
  readonly ticks: (most: number) => number[];
  readonly height?: number;
};

const top = 10;
const bottom = 26;
const right = 8;
const labelWidth = 52;

/** Bars are stacked, lines are drawn over them. The left and right keys move through the values, like the pointer. */
export function Plot({ title, labels, names, series, format, ticks, height = 208 }: PlotProps) {
  const plotHeight = height - top - bottom;
  const [frame, width] = useWidth();
  const [active, setActive] = useState<number | null>(null);
  const stacked = stackOf(series, labels.length);
  const greatest = Math.max(
    ...stacked.map((bars) => bars.at(-1)?.to ?? 0),
    ...series
      .filter(({ kind }) => kind === "line")
      .flatMap(({ values }) => values.map((value) => value ?? 0)),
  );
  const lines = ticks(greatest > 0 ? greatest : 1);
  const most = lines.at(-1) ?? 1;
  const tickText = (value: number) => format(value).replace(/\.0(?=\D|$)/, "");
  const left = 12 + Math.max(...lines.map((line) => tickText(line).length)) * 6.5;
  const area = { left, top, width: width - left - right, height: plotHeight };
  const scale = plotScale(area, labels.length, most);
  const { step, x, y } = scale;
  const every = Math.max(1, Math.ceil(labelWidth / step));
  const move = (by: number) =>
    setActive((at) => Math.min(labels.length - 1, Math.max(0, at === null ? labels.length - 1 : at + by)));

  return (
    <figure
      ref={frame}
      class="plot"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys walk through the values
      tabIndex={0}
      aria-label={`${title}. Left and right arrow keys read the values.`}
      onKeyDown={(event) => {
        const by = event.key === "ArrowLeft" ? -1 : event.key === "ArrowRight" ? 1 : 0;
        if (by === 0) return;
        event.preventDefault();
        move(by);
      }}
      onBlur={() => setActive(null)}
      onPointerLeave={() => setActive(null)}
      onPointerMove={(event) => {
        const at = event.clientX - event.currentTarget.getBoundingClientRect().left;
        const index = Math.floor((at - left) / step);
        setActive(index >= 0 && index < labels.length ? index : null);
      }}
    >
      <Legend series={series} />
      <svg viewBox={`0 0 ${width} ${height}`} aria-hidden="true" focusable="false">
        {lines.map((line) => (
          <g key={line}>
            <line class="grid" x1={left} x2={width - right} y1={y(line)} y2={y(line)} />
            <text class="axis end" x={left - 8} y={y(line) + 4}>
              {tickText(line)}
            </text>
          </g>
        ))}
        {active !== null && (
          <rect class="band" x={left + active * step} y={top} width={step} height={plotHeight} />
        )}
        {stacked.map((bars, index) =>
          bars.map(({ look, from, to }, place) => (
            <rect
              key={look}
              class={`bar ${look}`}
              x={x(index) - barWidth(step) / 2}
              y={y(to)}
              width={barWidth(step)}
              height={Math.max(0, y(from) - y(to) - (place > 0 || bars.length === 1 ? 0 : 1))}
              rx={bars.length === 1 ? Math.min(3, (y(from) - y(to)) / 2) : 0}
            />
          )),
        )}
        {series
          .filter(({ kind }) => kind === "line")
          .map(({ name, look, values }) => (
            <g key={name}>
              <path class={`line ${look}`} d={linePath(values, scale)} />
              {values.map((value, index) =>
                value === null ? null : (
                  <circle
                    key={index}
                    class={`dot ${look}`}
                    cx={x(index)}
                    cy={y(value)}
                    r={active === index ? 4.5 : isAlone(values, index) ? 3 : 2.2}
                  />
                ),
              )}
            </g>
          ))}
        {labels.map((label, index) =>
          (labels.length - 1 - index) % every === 0 ? (
            <text key={label} class="axis middle" x={x(index)} y={height - 8}>
              {label}
            </text>
          ) : null,
        )}
      </svg>
      <div
        class="tip"
        role="status"
        hidden={active === null}
        style={
          active === null ? {} : { left: `${(x(active) / width) * 100}%`, ...towards(x(active) / width) }
        }
      >
        {active !== null && (
          <>
            <b>{names[active]}</b>
            {series.map(({ name, look, values }) => (
              <span key={name}>
                <i class={`swatch ${look}`} /> {name}: {format(values[active] ?? null)}
              </span>
            ))}
          </>
        )}
      </div>
    </figure>
  );
}

const Legend = ({ series }: { readonly series: readonly PlotSeries[] }) => (
  <figcaption class="legend">
    {series.map(({ name, kind, look }) => (
      <span key={name}>
        <i class={`swatch ${kind} ${look}`} /> {name}
      </span>
    ))}
  </figcaption>
);

/** Keeps the text inside the chart. */
const towards = (part: number) => ({ transform: `translateX(${-Math.round(part * 100)}%)` });

const barWidth = (step: number): number => Math.max(2, Math.min(44, step * 0.62));

type Bar = { readonly look: string; readonly from: number; readonly to: number };

function stackOf(series: readonly PlotSeries[], count: number): Bar[][] {
  return Array.from({ length: count }, (_, index) => {
    let from = 0;
    return series
      .filter(({ kind }) => kind === "bar")
      .flatMap(({ look, values }) => {
        const value = values[index] ?? 0;
        const bar = { look, from, to: from + value };
        from = bar.to;
        return value > 0 ? [bar] : [];
      });
  });
}

const isAlone = (values: ReadonlyArray<number | null>, index: number): boolean =>
  (values[index - 1] ?? null) === null && (values[index + 1] ?? null) === null;

const widthBefore = 480;

/** Charts are drawn as wide as the available space, so that their text keeps its size. */
function useWidth() {
  const frame = useRef<HTMLElement>(null);
  const [width, setWidth] = useState(widthBefore);
  useEffect(() => {
    if (!frame.current) return;
    const observer = new ResizeObserver(([entry]) => {
      if (entry && entry.contentRect.width > 0) setWidth(Math.round(entry.contentRect.width));
    });
    observer.observe(frame.current);
    return () => observer.disconnect();
  }, []);
  return [frame, width] as const;
}

/** A line without text, beside its numbers. */
export function Sparkline({ values }: { readonly values: ReadonlyArray<number | null> }) {
  const [width, tall] = [96, 26];
  const most = Math.max(1e-9, ...values.map((value) => value ?? 0));
  const step = (width - 6) / Math.max(1, values.length - 1);
  const x = (index: number) => (values.length === 1 ? width / 2 : 3 + index * step);
  const y = (value: number) => tall - 3 - (value / most) * (tall - 6);
  const last = values.findLastIndex((value) => value !== null);
  const lastValue = values[last] ?? null;
  return (
    <svg class="spark" viewBox={`0 0 ${width} ${tall}`} aria-hidden="true" focusable="false">
      <path class="line" d={linePath(values, { x, y })} />
      {lastValue !== null && <circle class="dot" cx={x(last)} cy={y(lastValue)} r="2.5" />}
    </svg>
  );
}
