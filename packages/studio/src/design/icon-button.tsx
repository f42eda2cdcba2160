import type { ButtonHTMLAttributes, ReactNode, Ref } from 'react'

export interface IconButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  /** Said by screen readers and shown on hover. */
  readonly label: string
  readonly size?: 'small'
  readonly ref?: Ref<HTMLButtonElement>
}

export function IconButton({ label, size, className = '', ...rest }: IconButtonProps): ReactNode {
  return (
    <button
      type="button"
      className={`cw-icon-button ${className}`}
      data-size={size}
      aria-label={label}
      title={label}
      {...rest}
    />
  )
}
