// The examples of FRDeviceBinding's articles, compiled with the one import that an app has.
import FRDeviceBinding

func bindTheOldWay(_ callback: DeviceBindingCallback, next: @escaping @Sendable () -> Void) {
  callback.setDeviceName("My device")
  callback.bind { result in
    if case .failure(let error) = result { print(error.errorMessage) }
    next()
  }
}

func forgetAllKeys() throws {
  let keys = FRUserKeys()
  for key in keys.loadAll() { try keys.delete(userKey: key, forceDelete: true) }
}
