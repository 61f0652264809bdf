import PingBinding

struct Around {
  let callback: DeviceBindingCallback
  let onNext: () -> Void
  // block
}
