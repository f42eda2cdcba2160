import type { ButtonHTMLAttributes, ReactNode } from 'react'

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly look?: 'primary' | 'quiet' | 'danger'
  readonly size?: 'small'
}

export function Button({ look, size, className = '', ...rest }: ButtonProps): ReactNode {
  return (
    <button type="button" className={`cw-button ${className}`} data-look={look} data-size={size} {...rest} />
  )
}
